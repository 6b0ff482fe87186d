//! A future: arrivals in order of time.

use crate::{Time, Timed};

/// Arrivals in order of time, read once from front to back. A [`crate::World`] owns the real one; a search draws its own.
///
/// Reused tapes allocate nothing once they have grown.
#[derive(Clone, Debug)]
pub struct Tape<A> {
    events: Vec<Timed<A>>,
    cursor: usize,
    closing: Time,
}

impl<A> Default for Tape<A> {
    fn default() -> Self {
        Self { events: Vec::new(), cursor: 0, closing: Time::INFINITY }
    }
}

impl<A> Tape<A> {
    /// A tape of these arrivals, brought into order of time; arrivals at the same time keep their order.
    pub fn new(mut events: Vec<Timed<A>>) -> Self {
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self { events, ..Self::default() }
    }

    /// Removes everything, closing included.
    pub fn clear(&mut self) {
        self.events.clear();
        self.rewind();
        self.closing = Time::INFINITY;
    }

    /// Appends an arrival; [`Tape::sort`] afterwards if the times were not ascending.
    pub fn push(&mut self, time: Time, what: A) {
        self.events.push(Timed { time, what });
    }

    /// Brings the arrivals into order of time, without allocating. The order among equal times is unspecified but fixed.
    pub fn sort(&mut self) {
        self.events.sort_unstable_by(|a, b| a.time.total_cmp(&b.time));
    }

    /// Back to the front, so that another candidate meets the same future.
    pub fn rewind(&mut self) {
        self.cursor = 0;
    }

    /// From now on this tape says that nothing comes after `time`, whatever the law holds possible: a shortened dream.
    pub fn close_at(&mut self, time: Time) {
        self.closing = time;
        self.events.retain(|event| event.time <= time);
    }

    /// When this tape closes the state by itself; infinite unless [`Tape::close_at`] was called.
    pub fn closing(&self) -> Time {
        self.closing
    }

    /// The time of the next arrival, infinite if there is none.
    pub fn next_time(&self) -> Time {
        self.events.get(self.cursor).map_or(Time::INFINITY, |event| event.time)
    }

    /// The next arrival, if it is due at `now`.
    pub fn take_due(&mut self, now: Time) -> Option<&A> {
        let event = self.events.get(self.cursor).filter(|event| event.time <= now)?;
        self.cursor += 1;
        Some(&event.what)
    }

    /// How many arrivals have been read.
    pub fn read(&self) -> usize {
        self.cursor
    }

    /// All arrivals, read or not.
    pub fn events(&self) -> &[Timed<A>] {
        &self.events
    }
}
