//! A report of valgrind.

use super::oracle::Verdict;
use super::program::Place;

/// Reads the first report of valgrind.
pub fn verdict(text: &str, own: &[String]) -> Option<Verdict> {
    let lines: Vec<&str> =
        text.lines().filter_map(|l| l.strip_prefix("==")?.split_once("== ")).map(|(_, l)| l).collect();
    let is_title = |l: &&str| {
        ["Invalid ", "Conditional jump", "Use of uninit", "Syscall param", "Source and dest", "Jump to"]
            .iter()
            .any(|t| l.starts_with(t))
    };
    let start = lines.iter().position(is_title)?;
    let report: Vec<&str> = lines[start..].iter().copied().take_while(|l| !l.trim().is_empty()).collect();
    let address = report.iter().position(|l| l.trim().starts_with("Address 0x"));
    let after = |words: &str| {
        let from = report.iter().position(|l| l.contains(words))?;
        report[from + 1..].iter().find_map(|l| place(l, own))
    };
    let (title, address_line) = (report[0], address.map_or("", |a| report[a]));
    let is_inside = address_line.contains(" inside a block");
    let error = match title {
        t if t.starts_with("Invalid free") && address_line.contains("free'd") && address_line.contains(" 0 bytes") => {
            "double-free"
        }
        t if t.starts_with("Invalid free") => "invalid-free",
        t if t.starts_with("Source and dest") => "overlap",
        t if t.starts_with("Conditional") || t.starts_with("Use of") || t.starts_with("Syscall") => "uninitialised",
        _ if address_line.contains("not stack'd") => "null",
        _ if address_line.contains("free'd") => "use-after-free",
        _ if is_inside => "wild",
        _ => "out-of-bounds",
    };
    let is_freed = error != "null" && address_line.contains("free'd");
    let made = if is_freed { after("Block was alloc'd") } else { after("alloc'd") };
    Some(Verdict {
        error: error.into(),
        extent: (error == "out-of-bounds").then(|| block(address_line)).flatten(),
        at: report.iter().find_map(|l| place(l, own)),
        made_at: made,
        freed_at: if is_freed { after("free'd") } else { None },
    })
}

/// `at 0x10931C: heat (grid_heap.c:32)`, in a file of the program.
fn place(frame: &str, own: &[String]) -> Option<Place> {
    let (file, line) = frame.trim().strip_suffix(')')?.rsplit_once(" (")?.1.split_once(':')?;
    let file = file.to_string();
    own.contains(&file).then_some((file, line.parse().ok()?))
}

/// `Address 0x4a is 0 bytes after a block of size 16 alloc'd`.
fn block(line: &str) -> Option<(i64, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let distance: i64 = words.get(3)?.replace(',', "").parse().ok()?;
    let size: u64 = words.iter().skip_while(|w| **w != "size").nth(1)?.replace(',', "").parse().ok()?;
    Some(if words.get(5) == Some(&"before") { (-distance, size) } else { (size as i64 + distance, size) })
}
