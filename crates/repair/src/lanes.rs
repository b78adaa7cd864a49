//! Processes that run tests of one program, kept for the next who has some.

use crate::program::Built;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

/// A program's processes; they end with it.
pub(crate) struct Lanes<'p, P: Built> {
    /// The program.
    pub program: &'p P,
    idle: Mutex<Vec<P::Lane>>,
}

/// One that somebody uses.
pub(crate) struct Taken<'l, P: Built> {
    lane: Option<P::Lane>,
    idle: &'l Mutex<Vec<P::Lane>>,
}

impl<'p, P: Built> Lanes<'p, P> {
    pub fn new(program: &'p P) -> Self {
        Lanes { program, idle: Mutex::new(vec![]) }
    }

    /// One that has nothing to do, or a new one.
    ///
    /// # Errors
    /// When there is none.
    pub fn take(&self) -> Result<Taken<'_, P>, P::Error> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let lane = idle.map_or_else(|| self.program.lane(), Ok)?;
        Ok(Taken { lane: Some(lane), idle: &self.idle })
    }
}

impl<P: Built> Deref for Taken<'_, P> {
    type Target = P::Lane;

    fn deref(&self) -> &P::Lane {
        self.lane.as_ref().expect("it is there until it is put back")
    }
}

impl<P: Built> DerefMut for Taken<'_, P> {
    fn deref_mut(&mut self) -> &mut P::Lane {
        self.lane.as_mut().expect("it is there until it is put back")
    }
}

impl<P: Built> Drop for Taken<'_, P> {
    fn drop(&mut self) {
        if let (Some(lane), Ok(mut idle)) = (self.lane.take(), self.idle.lock()) {
            idle.push(lane);
        }
    }
}
