//! Processes as `/proc` shows them to the tool.

use libc::pid_t;
use std::collections::{HashMap, HashSet};
use std::mem::MaybeUninit;

/// One process.
struct Process {
    id: pid_t,
    parent: pid_t,
    session: pid_t,
    /// Whether it has ended and only waits for its parent to notice.
    ended: bool,
    /// Whether a signal or a debugger holds it.
    stopped: bool,
}

/// All processes; none if `/proc` does not speak of this process's PID namespace.
fn all() -> Vec<Process> {
    let own = std::fs::read_link("/proc/self").ok();
    if own.is_none_or(|own| own.as_os_str() != std::process::id().to_string().as_str()) {
        return vec![];
    }
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return vec![];
    };
    // A process that ends meanwhile is no process any more.
    entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name();
            read(name.to_str()?.parse().ok()?)
        })
        .collect()
}

/// The process of that number, if there is one.
fn read(id: pid_t) -> Option<Process> {
    let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    parse(id, &String::from_utf8_lossy(&stat))
}

/// Reads `pid (any name) state parent group session ...`.
fn parse(id: pid_t, stat: &str) -> Option<Process> {
    let (_, after) = stat.rsplit_once(") ")?;
    let mut fields = after.split(' ');
    let state = fields.next()?;
    let (ended, stopped) = (matches!(state, "Z" | "X"), matches!(state, "T" | "t"));
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    Some(Process { id, parent, session, ended, stopped })
}

/// How many processes descend from this one.
pub fn count_descendants(root: pid_t) -> usize {
    let mut children: HashMap<pid_t, Vec<pid_t>> = HashMap::new();
    for process in all() {
        children.entry(process.parent).or_default().push(process.id);
    }
    let mut count = 0;
    let mut pending = children.remove(&root).unwrap_or_default();
    while let Some(process) = pending.pop() {
        count += 1;
        pending.extend(children.remove(&process).unwrap_or_default());
    }
    count
}

/// Whether a child of this process is stopped.
pub fn has_stopped_child(parent: pid_t) -> bool {
    all().iter().any(|process| process.parent == parent && process.stopped)
}

/// Whether this process is stopped.
pub fn is_stopped(id: pid_t) -> bool {
    read(id).is_some_and(|process| process.stopped)
}

/// Kills the processes of a session until there are none, or for as many rounds as it makes sense to try; returns how
/// many there were. For the one case in which nobody is left who could know better: the supervisor was killed.
pub fn kill_session(session: pid_t) -> usize {
    let mut killed = HashSet::new();
    for _ in 0..100 {
        let members: Vec<_> = all().into_iter().filter(|p| p.session == session && !p.ended).collect();
        if members.is_empty() {
            break;
        }
        for member in &members {
            kill_if(member.id, |process| process.session == session);
        }
        killed.extend(members.iter().map(|m| m.id));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    killed.len()
}

/// Kills the process if what is known of it holds after a descriptor for it is open: its number alone may have gone to
/// another meanwhile.
fn kill_if(id: pid_t, condition: impl Fn(&Process) -> bool) {
    // SAFETY: plain system calls; the descriptor is new and ours.
    unsafe {
        let descriptor = libc::syscall(libc::SYS_pidfd_open, id, 0) as libc::c_int;
        if descriptor < 0 {
            return;
        }
        if read(id).is_some_and(|process| condition(&process)) {
            let none = std::ptr::null::<libc::siginfo_t>();
            libc::syscall(libc::SYS_pidfd_send_signal, descriptor, libc::SIGKILL, none, 0);
        }
        libc::close(descriptor);
    }
}

/// How many tasks the whole system has, modulo 2^16: a cheap sign that something multiplies.
pub fn system_tasks() -> u16 {
    let mut answer = MaybeUninit::<libc::sysinfo>::uninit();
    // SAFETY: the answer has room; it is read only after success.
    unsafe {
        match libc::sysinfo(answer.as_mut_ptr()) {
            0 => answer.assume_init().procs,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_brackets() {
        let process = parse(7, "7 (a) b (c) R 3 4 5 0 -1").unwrap();
        assert_eq!((process.id, process.parent, process.session), (7, 3, 5));
        assert!(!process.ended);
        assert!(parse(7, "7 (a) Z 3 4 5").unwrap().ended);
        assert!(parse(7, "7 (a) T 3 4 5").unwrap().stopped);
        assert!(parse(7, "7 (a").is_none());
    }
}
