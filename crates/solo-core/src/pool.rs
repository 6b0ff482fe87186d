//! Threads: many independent pieces of work with their results in order, or one piece for each of some workers. No other
//! module starts threads.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often the caller hears that work goes on.
const TICK: Duration = Duration::from_millis(100);

/// What the caller hears.
pub enum Progress<T> {
    /// The result of a piece; pieces come in ascending order, some missing if the work was stopped.
    Done(u64, T),
    /// How many pieces are done; heard now and then.
    Tick(u64),
}

/// Does pieces `0..count` of work on `threads` threads and tells `hear` on this one. Each thread first calls `begin` with
/// its number. Once `stop` is set no further piece is begun, and `work` should itself end early; an error of `hear`
/// sets it.
pub fn run<T: Send, E>(
    count: u64,
    threads: usize,
    stop: &AtomicBool,
    begin: impl Fn(usize) + Sync,
    work: impl Fn(u64) -> T + Sync,
    mut hear: impl FnMut(Progress<T>) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicU64::new(0);
    let (send, receive) = channel();
    thread::scope(|scope| {
        for number in 0..threads.min(usize::try_from(count).unwrap_or(usize::MAX)) {
            let (send, next, begin, work) = (send.clone(), &next, &begin, &work);
            scope.spawn(move || {
                begin(number);
                while !stop.load(Ordering::Relaxed) {
                    let piece = next.fetch_add(1, Ordering::Relaxed);
                    if piece >= count || send.send((piece, work(piece))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        in_order(&receive, &mut hear).inspect_err(|_| stop.store(true, Ordering::Relaxed))
    })
}

/// Does pieces `0..count` of work on `threads` threads and returns their results in order.
pub fn map<T: Send>(count: u64, threads: usize, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    if threads < 2 || count < 2 {
        return (0..count).map(work).collect();
    }
    let mut results = Vec::new();
    let stop = AtomicBool::new(false);
    let done: Result<(), Infallible> = run(
        count,
        threads,
        &stop,
        |_| (),
        work,
        |progress| {
            if let Progress::Done(_, result) = progress {
                results.push(result);
            }
            Ok(())
        },
    );
    let Ok(()) = done;
    results
}

/// Lets every worker do something, each on a thread of its own if there are several. `work` gets the worker's number.
pub fn each<W: Send>(workers: &mut [W], work: impl Fn(usize, &mut W) + Sync) {
    if let [worker] = workers {
        work(0, worker);
        return;
    }
    thread::scope(|scope| {
        let mut others = workers.iter_mut().enumerate();
        let own = others.next();
        for (number, worker) in others {
            let work = &work;
            scope.spawn(move || work(number, worker));
        }
        own.into_iter().for_each(|(number, worker)| work(number, worker));
    });
}

/// Does something with each of many, spread evenly over `threads` threads.
pub fn spread<T: Send>(all: &mut [T], threads: usize, work: impl Fn(&mut T) + Sync) {
    let each = all.len().div_ceil(threads.max(1)).max(1);
    if each >= all.len() {
        return all.iter_mut().for_each(work);
    }
    thread::scope(|scope| {
        let mut parts = all.chunks_mut(each);
        let own = parts.next();
        for part in parts {
            let work = &work;
            scope.spawn(move || part.iter_mut().for_each(work));
        }
        own.into_iter().flatten().for_each(&work);
    });
}

fn in_order<T, E>(
    results: &Receiver<(u64, T)>,
    hear: &mut impl FnMut(Progress<T>) -> Result<(), E>,
) -> Result<(), E> {
    let (mut early, mut due, mut done) = (BTreeMap::new(), 0, 0);
    loop {
        match results.recv_timeout(TICK) {
            Ok((piece, result)) => {
                done += 1;
                early.insert(piece, result);
                while let Some(result) = early.remove(&due) {
                    hear(Progress::Done(due, result))?;
                    due += 1;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        hear(Progress::Tick(done))?;
    }
    early.into_iter().try_for_each(|(piece, result)| hear(Progress::Done(piece, result)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let mut heard = Vec::new();
            let work = |piece| {
                thread::sleep(Duration::from_millis(7 - piece % 7));
                piece * piece
            };
            let stop = AtomicBool::new(false);
            let result: Result<(), ()> = run(
                20,
                threads,
                &stop,
                |_| (),
                work,
                |event| {
                    if let Progress::Done(piece, square) = event {
                        heard.push((piece, square));
                    }
                    Ok(())
                },
            );
            assert_eq!(result, Ok(()));
            assert_eq!(heard, (0..20).map(|piece| (piece, piece * piece)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_stop_or_an_error_ends_the_work() {
        let stop = AtomicBool::new(false);
        let result = run(
            u64::MAX,
            2,
            &stop,
            |_| (),
            |piece| piece,
            |event| match event {
                Progress::Done(10, _) => Err("enough"),
                _ => Ok(()),
            },
        );
        assert_eq!(result, Err("enough"));
        let mut heard = 0;
        let result: Result<(), ()> = run(
            5,
            2,
            &stop,
            |_| (),
            |piece| piece,
            |_| {
                heard += 1;
                Ok(())
            },
        );
        assert_eq!((result, heard), (Ok(()), 0));
    }
}
