//! Ctrl-C: the first one asks to stop and print what is known, the second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Set once the user has asked to stop.
pub fn flag() -> Arc<AtomicBool> {
    Arc::clone(STOP.get_or_init(Arc::default))
}

/// Whether the user has asked to stop.
pub fn asked() -> bool {
    STOP.get().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// Lets Ctrl-C set the flag.
pub fn catch() {
    flag();
    // SAFETY: the handler only loads and stores atomics, and puts back the default for the next time.
    unsafe {
        libc::signal(libc::SIGINT, handler as *const () as libc::sighandler_t);
    }
}

extern "C" fn handler(_: libc::c_int) {
    if let Some(stop) = STOP.get() {
        stop.store(true, Ordering::Relaxed);
    }
    // SAFETY: `signal` may be called in a handler.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_DFL);
    }
}
