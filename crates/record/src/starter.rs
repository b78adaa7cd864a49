//! The thread that makes supervisors.
//!
//! A supervisor is told when the *thread* that made it ends, and ends too. So all are made by one that ends with the tool,
//! and a server may be used by whoever has it.

use crate::start::clone_supervisor;
use crate::supervisor::Plan;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

/// What comes of an attempt: the supervisor by its number, and a descriptor of it.
type Made = io::Result<(libc::pid_t, OwnedFd)>;

/// What a supervisor is made of. The one who asks for it keeps all of this until there is an answer.
struct Order {
    plan: *const Plan,
    stack: *mut u8,
    thread: *mut u8,
    answer: Sender<Made>,
}

// SAFETY: who asks waits for the answer and touches nothing of it before.
unsafe impl Send for Order {}

impl Order {
    fn carried_out(self) {
        // SAFETY: the plan is there as long as nobody has answered.
        let made = clone_supervisor(unsafe { &*self.plan }, self.stack, self.thread);
        // Who asks is waiting.
        let _ = self.answer.send(made);
    }
}

/// Makes the supervisor's process; `stack` and `thread` as for [`clone_supervisor`].
pub fn make_supervisor(plan: &Plan, stack: *mut u8, thread: *mut u8) -> Made {
    static STARTER: OnceLock<Option<Sender<Order>>> = OnceLock::new();
    let (answer, made) = channel();
    let order = Order { plan, stack, thread, answer };
    match STARTER.get_or_init(starter) {
        Some(starter) => {
            if let Err(refused) = starter.send(order) {
                refused.0.carried_out();
            }
        }
        // Without it a supervisor ends with the thread that asks.
        None => order.carried_out(),
    }
    made.recv().unwrap_or_else(|gone| Err(io::Error::other(gone)))
}

fn starter() -> Option<Sender<Order>> {
    let (starter, orders) = channel::<Order>();
    let work = move || orders.into_iter().for_each(Order::carried_out);
    std::thread::Builder::new().name("starter".into()).spawn(work).ok().map(|_| starter)
}
