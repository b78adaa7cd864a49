use super::*;
use crate::walk::Held;

const LOCK: u64 = 0x1000;
const OTHER: u64 = 0x2000;

fn met(callee: &str, arguments: &[u64]) -> Met {
    Met { callee: callee.into(), arguments: arguments.to_vec(), function: FunctionId(0), at: None }
}

/// A thread that waits in a call and holds a lock, taken by a function of this name.
fn waiting(callee: &str, arguments: &[u64], held: u64, by: &str) -> Standing {
    let shared = by.contains("rdlock");
    let meetings = Meetings { held: vec![Held { address: held, shared, by: met(by, &[held]) }], ..Meetings::default() };
    let does = Does::Waits(met(callee, arguments));
    Standing { began: None, is_first: false, argument: None, does, meetings }
}

fn locks(lock: u64, held: u64) -> Standing {
    waiting("pthread_mutex_lock", &[lock], held, "pthread_mutex_lock")
}

fn stuck(all: Vec<Standing>) -> bool {
    Standings { all, are_all: true }.is_stuck(0)
}

#[test]
fn threads_that_wait_for_each_other_never_go_on() {
    assert!(stuck(vec![locks(LOCK, OTHER), locks(OTHER, LOCK)]));
    assert!(stuck(vec![locks(LOCK, LOCK)]), "it waits for itself");
    assert!(stuck(vec![locks(LOCK, 0x3000), locks(OTHER, LOCK), locks(LOCK, OTHER)]), "it waits for those that do");
    assert!(!stuck(vec![locks(LOCK, OTHER), locks(0x3000, LOCK)]));
}

#[test]
fn who_has_ended_gives_nothing_back() {
    let ended = Standing { does: Does::Ended, ..locks(OTHER, LOCK) };
    assert!(stuck(vec![locks(LOCK, OTHER), ended]));
}

#[test]
fn who_waits_for_a_time_goes_on() {
    let waits = waiting("pthread_mutex_timedlock", &[LOCK, 0], OTHER, "pthread_mutex_lock");
    assert!(!stuck(vec![waits, locks(OTHER, LOCK)]));
    let waits = waiting("pthread_mutex_timedlock", &[OTHER, 0], LOCK, "pthread_mutex_lock");
    assert!(!stuck(vec![locks(LOCK, OTHER), waits]));
}

#[test]
fn who_sleeps_has_given_its_lock_back() {
    let sleeps = waiting("pthread_cond_wait", &[OTHER, LOCK], LOCK, "pthread_mutex_lock");
    let all = Standings { all: vec![locks(LOCK, OTHER), sleeps], are_all: true };
    assert_eq!(all.holder(LOCK), None);
    assert_eq!(all.holder(OTHER).map(|(holder, _)| holder), Some(0));
}

#[test]
fn nobody_is_said_to_hold_what_somebody_else_gave_back() {
    let mut other = locks(0x3000, 0x4000);
    other.meetings.odd.push(LOCK);
    assert!(!stuck(vec![locks(LOCK, LOCK), other]));
}

#[test]
fn of_several_who_share_a_lock_nobody_is_the_one() {
    let reads = || waiting("pthread_join", &[7], LOCK, "pthread_rwlock_rdlock");
    let writes = waiting("pthread_rwlock_wrlock", &[LOCK], OTHER, "pthread_mutex_lock");
    assert_eq!(Standings { all: vec![writes, reads(), reads()], are_all: true }.holder(LOCK), None);
}

#[test]
fn the_name_of_a_thread_that_has_ended_is_used_again() {
    let started = |function| crate::walk::Started::new(Some(FunctionId(function)), u64::from(function), 77);
    let mut first = waiting("pthread_join", &[77], LOCK, "pthread_mutex_lock");
    first.is_first = true;
    first.meetings.started = vec![started(1), started(2)];
    let began = |function: u32| {
        let it =
            Standing { began: Some(FunctionId(function)), argument: Some(u64::from(function)), ..locks(LOCK, OTHER) };
        Standing { does: if function == 1 { Does::Ended } else { it.does }, ..it }
    };
    let all = Standings { all: vec![first, began(1), began(2)], are_all: true };
    assert_eq!(all.awaited(0), Some(Awaited::End(2)));
    assert_eq!(all.in_order(), [0, 2, 1]);
    assert!(all.is_stuck(0));
}
