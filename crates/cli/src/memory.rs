//! The memory of this process.

/// The most that it had so far, in MiB.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("");
    line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Bytes in use by this process, without those of files.
pub fn memory_in_use() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut pages = statm.split(' ').skip(1).map(|n| n.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    // SAFETY: the call only returns a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    resident.saturating_sub(shared) * u64::try_from(page).unwrap_or(4096)
}
