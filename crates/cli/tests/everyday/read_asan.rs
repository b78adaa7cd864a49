//! A report of AddressSanitizer.

use super::oracle::Verdict;
use super::program::{Place, name_of};
use std::path::Path;

/// Reads the first report of AddressSanitizer.
pub fn verdict(text: &str, own: &[String]) -> Option<Verdict> {
    let title = text.lines().find_map(|l| l.split_once("AddressSanitizer: "))?.1;
    let errors = [
        ("heap-buffer-overflow", "out-of-bounds"),
        ("stack-buffer-overflow", "out-of-bounds"),
        ("global-buffer-overflow", "out-of-bounds"),
        ("heap-use-after-free", "use-after-free"),
        ("stack-use-after-return", "use-after-return"),
        ("stack-use-after-scope", "use-after-scope"),
        ("attempting double-free", "double-free"),
        ("attempting free on address which was not", "invalid-free"),
        ("memcpy-param-overlap", "overlap"),
        ("strcpy-param-overlap", "overlap"),
        ("SEGV on unknown address 0x0000000000", "null"),
    ];
    let (_, error) = errors.into_iter().find(|(words, _)| title.starts_with(words))?;
    let frames = |after: &str| {
        let stack = text.lines().skip_while(|l| !l.contains(after)).skip(1);
        stack.take_while(|l| !l.trim().is_empty()).find_map(|l| place(l, own))
    };
    let located = text.lines().find(|l| l.contains(" is located "));
    let variable = text.lines().find(|l| l.contains("<== Memory access"));
    let mut verdict = Verdict { error: error.into(), at: frames("AddressSanitizer: "), ..Verdict::default() };
    verdict.freed_at = frames("freed by thread");
    verdict.made_at =
        frames("allocated by thread").or_else(|| global_place(located?)).or_else(|| stack_line(variable?, &verdict.at));
    verdict.extent = located.and_then(region).or_else(|| stack_extent(variable?));
    if error != "out-of-bounds" {
        verdict.extent = None;
    }
    Some(verdict)
}

/// `#0 0x55d in main /path/file.c:35:9`, in a file of the program.
fn place(frame: &str, own: &[String]) -> Option<Place> {
    let path = frame.split(" in ").nth(1)?.split(' ').nth(1)?;
    let mut parts = path.split(':');
    let (file, line) = (parts.next()?, parts.next()?.parse().ok()?);
    let file = name_of(Path::new(file));
    own.contains(&file).then_some((file, line))
}

/// `0x50 is located 0 bytes after 11-byte region`, `... 4 bytes after global variable 'a' defined in 'f.c:12' (0x50) of size 50`.
fn region(line: &str) -> Option<(i64, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|w| *w == "located")?;
    let distance: i64 = words.get(at + 1)?.parse().ok()?;
    let size = match words.iter().position(|w| *w == "size") {
        Some(size) => words.get(size + 1)?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?,
        None => words.iter().find_map(|w| w.strip_suffix("-byte"))?.parse::<u64>().ok()?,
    };
    match *words.get(at + 3)? {
        "after" => Some((size as i64 + distance, size)),
        "before" => Some((-distance, size)),
        _ => Some((distance, size)),
    }
}

/// `... global variable 'a' defined in '/path/f.c:12' ...`.
fn global_place(line: &str) -> Option<Place> {
    let place = line.split("defined in '").nth(1)?.split('\'').next()?;
    let (path, line) = place.split_once(':')?;
    Some((name_of(Path::new(path)), line.split(':').next()?.parse().ok()?))
}

/// `[32, 72) 'counts' (line 30) <== Memory access at offset 72 overflows this variable`.
fn stack_extent(line: &str) -> Option<(i64, u64)> {
    let (from, to) = line.trim().strip_prefix('[')?.split_once(')')?.0.split_once(", ")?;
    let (from, to): (i64, i64) = (from.parse().ok()?, to.parse().ok()?);
    let access: i64 = line.split("at offset ").nth(1)?.split(' ').next()?.parse().ok()?;
    Some((access - from, (to - from) as u64))
}

fn stack_line(line: &str, at: &Option<Place>) -> Option<Place> {
    let number = line.split("(line ").nth(1)?.split(')').next()?.parse().ok()?;
    Some((at.as_ref()?.0.clone(), number))
}
