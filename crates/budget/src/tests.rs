use super::*;
use std::sync::atomic::AtomicUsize;

#[test]
fn looks_are_counted() {
    let budget = Budget::counting(3);
    let part = budget.share(0.5);
    assert_eq!([budget.stopped(), part.stopped(), budget.stopped()], [None; 3]);
    assert_eq!(part.check(), Err(Stop::Time));
    assert_eq!(budget.left(), Some(Duration::ZERO));
}

#[test]
fn the_first_reason_counts_and_is_everybodys() {
    let budget = Budget::unlimited();
    let part = budget.within(Duration::from_secs(3600));
    budget.stop(Stop::Interrupted);
    budget.stop(Stop::Memory);
    assert_eq!(part.stopped(), Some(Stop::Interrupted));
}

#[test]
fn a_part_ends_before_the_whole() {
    let budget = Budget::new(Some(Duration::from_secs(3600)), None);
    let part = budget.within(Duration::ZERO);
    assert_eq!(part.stopped(), Some(Stop::Time));
    assert_eq!(budget.stopped(), None);
    // Nor does a part outlive it.
    assert!(budget.within(Duration::from_secs(7200)).left() <= Some(Duration::from_secs(3600)));
}

#[test]
fn the_watchman_says_what_is_used() {
    // An eighth is kept for what is spent after it is over.
    let budget = Budget::new(None, Some(1144));
    assert_eq!(budget.tick(400), None);
    assert_eq!(budget.room(601), Ok(()));
    assert_eq!(budget.room(602), Err(Stop::Memory));
    // That was a question, no more.
    assert_eq!(budget.stopped(), None);
    assert_eq!(budget.tick(1002), Some(Stop::Memory));
    assert_eq!(budget.stopped(), Some(Stop::Memory));
}

#[test]
fn calls_are_made_once_and_only_while_wanted() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = |budget: &Budget| {
        let count = Arc::clone(&count);
        budget.on_stop(move || {
            count.fetch_add(1, Relaxed);
        })
    };
    let budget = Budget::unlimited();
    let part = budget.within(Duration::ZERO);
    let _at_once = counted(&part);
    assert_eq!(count.load(Relaxed), 1, "it is over already");
    let _kept = counted(&budget);
    drop(counted(&budget));
    budget.tick(0);
    assert_eq!(count.load(Relaxed), 1);
    budget.stop(Stop::Time);
    budget.stop(Stop::Time);
    budget.tick(0);
    assert_eq!(count.load(Relaxed), 2);
}
