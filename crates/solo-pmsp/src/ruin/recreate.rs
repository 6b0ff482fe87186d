//! Recreate: pieces are put back one by one where they cost least.

use super::RuinParams;
use super::piece::Piece;
use super::search::Search;
use solo_core::{Cost, Meter, Rng};

impl Search {
    /// Puts all pieces back, in an order drawn anew each time; false if the meter cut that off.
    pub(super) fn recreate<const RELEASES: bool>(
        &mut self,
        params: &RuinParams,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> bool {
        match rng.below(4) {
            0 => self.sort_by(|_| rng.unit()),
            1 => self.sort_by(|piece| piece.processing / piece.weight),
            2 => self.sort_by(|piece| -piece.weight),
            _ => self.sort_by(|piece| -piece.processing),
        }
        let all = self.pieces.len();
        self.put_back::<RELEASES>(all, meter, || rng.unit() < params.blink) == all
    }

    /// Brings the pieces into ascending order of a key.
    pub(super) fn sort_by(&mut self, mut key: impl FnMut(&Piece) -> f64) {
        for piece in &mut self.pieces {
            piece.key = key(piece);
        }
        self.pieces.sort_unstable_by(|a, b| a.key.total_cmp(&b.key));
    }

    /// Puts the first `most` pieces back in their order, each where it costs least, unless it `blinks`. Returns how many
    /// there was time for.
    pub(super) fn put_back<const RELEASES: bool>(
        &mut self,
        most: usize,
        meter: &Meter<'_>,
        mut blinks: impl FnMut() -> bool,
    ) -> usize {
        for index in 0..most {
            // Few positions are worth more than a comparison.
            if meter.cuts(self.placed.len() / 4) {
                return index;
            }
            let piece = self.pieces[index];
            let mut place = self.cheapest::<RELEASES>(&piece, (usize::MAX, 0));
            // overlooking each position with some chance comes to overlooking the best with that chance, and then the
            // next best: a second search now and then, instead of a random number per position
            if blinks() {
                let next = self.cheapest::<RELEASES>(&piece, (place.0, place.1));
                // There may be no other place: then it is not overlooked.
                if next.2.is_finite() || !self.shop.unrelated {
                    place = next;
                }
            }
            let (machine, at, extra) = place;
            let piece = piece.on(&self.shop, machine, &self.removed);
            self.touch(machine);
            let jobs = piece.jobs(&self.removed);
            self.lines[machine].insert::<RELEASES>(&self.shop, &piece, jobs, at, extra);
        }
        most
    }

    /// The machine and slot where the piece costs least, and how much; not at `not`.
    fn cheapest<const RELEASES: bool>(
        &self,
        piece: &Piece,
        not: (usize, usize),
    ) -> (usize, usize, Cost) {
        let jobs = piece.jobs(&self.removed);
        let mut best = (0, 1, f64::INFINITY);
        for (machine, line) in self.lines.iter().enumerate() {
            let not = if machine == not.0 { not.1 } else { 0 };
            let piece = piece.on(&self.shop, machine, &self.removed);
            if piece.processing.is_infinite() {
                continue;
            }
            let found = line.cheapest::<RELEASES>(&self.shop, &piece, jobs, best.2, not);
            if let Some((at, extra)) = found {
                best = (machine, at, extra);
            }
        }
        best
    }
}
