//! Functions by which threads wait for each other, and those that may wait for something else.

/// What a call does with what its first argument points to, or is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Meets {
    /// It takes a lock, which it gives where it returns 0.
    Takes {
        /// Others may have it at the same time, who take it in the same way.
        shared: bool,
        /// It waits, for ever, until it gets it.
        waits: bool,
    },
    /// It gives a lock back.
    Leaves,
    /// It waits until it is woken; the lock that its second argument points to is given back meanwhile.
    Sleeps {
        /// For ever.
        waits: bool,
    },
    /// It wakes who sleeps.
    Wakes,
    /// It waits until somebody has put something in, which it takes out.
    TakesOut,
    /// It puts something in.
    PutsIn,
    /// It waits for others that come here, too.
    Gathers,
    /// It waits for the end of a thread.
    Joins,
    /// It makes something new of it, or it is gone.
    Makes,
}

/// What a function of this name does, and with what: `mutex`.
pub fn meets(name: &str) -> Option<(Meets, &'static str)> {
    let takes = |shared, waits| Meets::Takes { shared, waits };
    Some(match name {
        "pthread_mutex_lock" | "mtx_lock" => (takes(false, true), "mutex"),
        "pthread_mutex_trylock"
        | "pthread_mutex_timedlock"
        | "pthread_mutex_clocklock"
        | "mtx_trylock"
        | "mtx_timedlock" => (takes(false, false), "mutex"),
        "pthread_mutex_unlock" | "mtx_unlock" => (Meets::Leaves, "mutex"),
        "pthread_mutex_init" | "pthread_mutex_destroy" | "mtx_init" | "mtx_destroy" => (Meets::Makes, "mutex"),
        "pthread_spin_lock" => (takes(false, true), "spin lock"),
        "pthread_spin_trylock" => (takes(false, false), "spin lock"),
        "pthread_spin_unlock" => (Meets::Leaves, "spin lock"),
        "pthread_spin_init" | "pthread_spin_destroy" => (Meets::Makes, "spin lock"),
        "pthread_rwlock_rdlock" => (takes(true, true), "read-write lock"),
        "pthread_rwlock_tryrdlock" | "pthread_rwlock_timedrdlock" => (takes(true, false), "read-write lock"),
        "pthread_rwlock_wrlock" => (takes(false, true), "read-write lock"),
        "pthread_rwlock_trywrlock" | "pthread_rwlock_timedwrlock" => (takes(false, false), "read-write lock"),
        "pthread_rwlock_unlock" => (Meets::Leaves, "read-write lock"),
        "pthread_rwlock_init" | "pthread_rwlock_destroy" => (Meets::Makes, "read-write lock"),
        "pthread_cond_wait" | "cnd_wait" => (Meets::Sleeps { waits: true }, "condition"),
        "pthread_cond_timedwait" | "pthread_cond_clockwait" | "cnd_timedwait" => {
            (Meets::Sleeps { waits: false }, "condition")
        }
        "pthread_cond_signal" | "pthread_cond_broadcast" | "cnd_signal" | "cnd_broadcast" => {
            (Meets::Wakes, "condition")
        }
        "sem_wait" => (Meets::TakesOut, "semaphore"),
        "sem_post" => (Meets::PutsIn, "semaphore"),
        "sem_init" | "sem_destroy" => (Meets::Makes, "semaphore"),
        "pthread_barrier_wait" => (Meets::Gathers, "barrier"),
        "pthread_barrier_init" | "pthread_barrier_destroy" => (Meets::Makes, "barrier"),
        "pthread_join" | "thrd_join" => (Meets::Joins, "thread"),
        _ => return None,
    })
}

/// Functions that wait for something outside of the program, besides those that read.
const WAIT: &[&str] = &[
    "accept",
    "accept4",
    "connect",
    "epoll_pwait",
    "epoll_wait",
    "fcntl",
    "flock",
    "fopen",
    "fwrite",
    "lockf",
    "mq_receive",
    "mq_send",
    "msgrcv",
    "msgsnd",
    "open",
    "pause",
    "poll",
    "ppoll",
    "pread",
    "pselect",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_mutex_clocklock",
    "pthread_mutex_timedlock",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "select",
    "sem_clockwait",
    "sem_timedwait",
    "semop",
    "send",
    "sendmsg",
    "sendto",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "syscall",
    "system",
    "tcdrain",
    "wait",
    "wait3",
    "wait4",
    "waitid",
    "waitpid",
    "write",
    "writev",
];

/// Whether a function may wait for others.
pub fn may_wait(name: &str) -> bool {
    let for_threads = meets(name).is_some_and(|(meets, _)| match meets {
        Meets::Takes { waits, .. } => waits,
        Meets::Sleeps { .. } | Meets::TakesOut | Meets::Gathers | Meets::Joins => true,
        Meets::Leaves | Meets::Wakes | Meets::PutsIn | Meets::Makes => false,
    });
    for_threads || WAIT.contains(&name) || crate::function(name).is_some_and(|f| f.reads_input.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_and_who_does_not() {
        for name in ["pthread_mutex_lock", "pthread_join", "sem_wait", "read", "getchar", "waitpid"] {
            assert!(may_wait(name), "{name}");
        }
        for name in ["pthread_mutex_unlock", "pthread_mutex_trylock", "sem_post", "strlen", "my_own"] {
            assert!(!may_wait(name), "{name}");
        }
    }
}
