//! Those who want to be called when it is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Call = Box<dyn Fn() + Send + Sync>;

/// The calls that are wanted.
#[derive(Default)]
pub(crate) struct Calls {
    all: Mutex<Vec<Arc<Wanted>>>,
}

struct Wanted {
    /// When, in milliseconds after the start.
    deadline: u64,
    /// `None` once it was made, or is not wanted any more. Held while it is made, so that who takes it back knows that it
    /// is over.
    call: Mutex<Option<Call>>,
}

/// A call that is wanted, until this is dropped.
#[must_use = "dropped, it is not called"]
pub struct Registered(Arc<Wanted>);

impl Calls {
    pub fn add(&self, deadline: u64, call: Call) -> Registered {
        let wanted = Arc::new(Wanted { deadline, call: Mutex::new(Some(call)) });
        let mut all = lock(&self.all);
        all.retain(|other| Arc::strong_count(other) > 1);
        all.push(Arc::clone(&wanted));
        Registered(wanted)
    }

    /// Makes all calls whose time has come.
    pub fn make(&self, now: u64) {
        // Not while the list is held: a call may take a moment.
        let due: Vec<Arc<Wanted>> = lock(&self.all).extract_if(.., |wanted| wanted.deadline <= now).collect();
        due.iter().for_each(|wanted| wanted.make());
    }
}

impl Wanted {
    fn make(&self) {
        if let Some(call) = lock(&self.call).take() {
            call();
        }
    }
}

impl Registered {
    pub(crate) fn make(&self) {
        self.0.make();
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&self.0.call).take();
    }
}

/// What a call that panicked left behind is no worse than before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
