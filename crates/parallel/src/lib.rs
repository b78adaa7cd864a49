//! Work on many items by several threads, which are gone when it is done.
//!
//! Items are begun in their order, and results have the order of the items, whichever thread finished first. After an
//! error no further item is begun; so what checks a budget between items stops all threads.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many threads the machine has processors for.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What `work` makes of each item, with its number.
pub fn parallel<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let result = try_parallel(items, jobs, || Ok::<(), Infallible>(()), |(), number, item| Ok(work(number, item)));
    match result {
        Ok(results) => results,
        Err(never) => match never {},
    }
}

/// The same where each thread begins with something of its own, a server or a solver, and work may fail.
///
/// # Errors
/// Of all items that failed, the error of the first in their order: it is the same in every run.
pub fn try_parallel<T: Sync, S, R: Send, E: Send>(
    items: &[T],
    jobs: usize,
    start: impl Fn() -> Result<S, E> + Sync,
    work: impl Fn(&mut S, usize, &T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    // What one thread has done, and where it failed.
    let run = || {
        let mut done: Vec<(usize, R)> = vec![];
        let fail = |number, error| {
            stopped.store(true, Ordering::Relaxed);
            Some((number, error))
        };
        let mut own = match start() {
            Ok(own) => own,
            Err(error) => return (done, fail(items.len(), error)),
        };
        while !stopped.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { break };
            match work(&mut own, number, item) {
                Ok(result) => done.push((number, result)),
                Err(error) => return (done, fail(number, error)),
            }
        }
        (done, None)
    };
    let threads = jobs.min(items.len());
    let all = match threads {
        0 if items.is_empty() => return Ok(vec![]),
        0 | 1 => vec![run()],
        _ => std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            threads.into_iter().map(|t| t.join().unwrap_or_else(|why| std::panic::resume_unwind(why))).collect()
        }),
    };
    let (done, errors): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    if let Some((_, error)) = errors.into_iter().flatten().min_by_key(|(number, _)| *number) {
        return Err(error);
    }
    let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        for jobs in [0, 1, 2, 7, 2000] {
            let squares = parallel(&items, jobs, |number, item| number as u32 * item);
            assert_eq!(squares, items.iter().map(|n| n * n).collect::<Vec<_>>());
        }
        assert_eq!(parallel(&[] as &[u32], 4, |_, _| 0), []);
    }

    #[test]
    fn threads_work_at_the_same_time_and_have_something_of_their_own() {
        let (started, both) = (AtomicUsize::new(0), Barrier::new(2));
        let start = || Ok::<usize, ()>(started.fetch_add(1, Ordering::SeqCst));
        let own = try_parallel(&[(), ()], 2, start, |own, _, ()| {
            // One thread alone would wait forever.
            both.wait();
            Ok(*own)
        });
        let mut own = own.expect("nothing fails");
        own.sort_unstable();
        assert_eq!(own, [0, 1]);
    }

    #[test]
    fn after_an_error_nothing_is_begun() {
        let begun = AtomicUsize::new(0);
        let items: Vec<usize> = (0..1000).collect();
        let work = |(): &mut (), _: usize, item: &usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            if *item >= 10 { Err(*item) } else { Ok(()) }
        };
        assert_eq!(try_parallel(&items, 1, || Ok(()), work), Err(10));
        assert_eq!(begun.load(Ordering::SeqCst), 11);
        for _ in 0..100 {
            assert_eq!(try_parallel(&items, 3, || Ok(()), work), Err(10), "the first in order, whoever fails first");
        }
        assert_eq!(try_parallel(&items, 3, || Err("no"), |(): &mut (), _, _| Ok(())), Err("no"));
    }

    #[test]
    #[should_panic(expected = "on purpose")]
    fn a_panic_is_that_of_the_caller() {
        parallel(&[1, 2, 3], 2, |_, item| assert_ne!(*item, 2, "on purpose"));
    }
}
