//! A future: events in order of time.

use crate::{Time, Timed};

/// Events in order of time, read once from front to back. A [`crate::World`] owns the real one; a search draws its own.
///
/// Reused tapes allocate nothing once they have grown.
#[derive(Clone, Debug)]
pub struct Tape<E> {
    events: Vec<Timed<E>>,
    cursor: usize,
    closing: Time,
}

impl<E> Default for Tape<E> {
    fn default() -> Self {
        Self { events: Vec::new(), cursor: 0, closing: Time::INFINITY }
    }
}

impl<E> Tape<E> {
    /// A tape of these events, brought into order of time; events at the same time keep their order.
    pub fn new(mut events: Vec<Timed<E>>) -> Self {
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self { events, ..Self::default() }
    }

    /// Removes everything, closing included.
    #[inline]
    pub fn clear(&mut self) {
        self.events.clear();
        self.rewind();
        self.closing = Time::INFINITY;
    }

    /// Appends an event; [`Tape::sort`] afterwards if the times were not ascending.
    #[inline]
    pub fn push(&mut self, time: Time, what: E) {
        self.events.push(Timed { time, what });
    }

    /// Brings the events into order of time, without allocating. The order among equal times is unspecified but fixed.
    pub fn sort(&mut self) {
        self.events.sort_unstable_by(|a, b| a.time.total_cmp(&b.time));
    }

    /// Back to the front, so that another candidate meets the same future.
    #[inline]
    pub fn rewind(&mut self) {
        self.cursor = 0;
    }

    /// From now on this tape says that nothing comes after `time`, whatever the law holds possible: a shortened future.
    pub fn close_at(&mut self, time: Time) {
        self.closing = time;
        self.events.retain(|event| event.time <= time);
    }

    /// When this tape closes the state by itself; infinite unless [`Tape::close_at`] was called.
    #[inline]
    pub fn closing(&self) -> Time {
        self.closing
    }

    /// The time of the next event, infinite if there is none.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.events.get(self.cursor).map_or(Time::INFINITY, |event| event.time)
    }

    /// The next event, if it is due at `now`.
    #[inline]
    pub fn take_due(&mut self, now: Time) -> Option<&Timed<E>> {
        let event = self.events.get(self.cursor).filter(|event| event.time <= now)?;
        self.cursor += 1;
        Some(event)
    }

    /// Gives the events that were pushed numbers from `first` on, in the order of the tape.
    pub fn number_from(&mut self, first: u32, mut set: impl FnMut(&mut E, u32)) {
        for (event, id) in self.events.iter_mut().zip(first..) {
            set(&mut event.what, id);
        }
    }

    /// All events, read or not.
    #[inline]
    pub fn events(&self) -> &[Timed<E>] {
        &self.events
    }
}
