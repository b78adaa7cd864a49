//! A changed file as a unified diff.

use std::fmt::Write;

/// Unchanged lines shown on each side.
const CONTEXT: usize = 3;

/// The difference of two texts as one hunk, with the names of the files; empty where there is none.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let limit = before.len().min(after.len()) - same;
    let tail = before.iter().rev().zip(after.iter().rev()).take(limit).take_while(|(a, b)| a == b).count();
    if same == before.len() && same == after.len() {
        return String::new();
    }
    let from = same.saturating_sub(CONTEXT);
    let (old_end, new_end) = (before.len() - tail, after.len() - tail);
    let kept = tail.min(CONTEXT);
    let path = named(path);
    let mut diff = format!("--- a/{path}\n+++ b/{path}\n");
    let (old_length, new_length) = (old_end + kept - from, new_end + kept - from);
    let _ = writeln!(diff, "@@ -{},{old_length} +{},{new_length} @@", from + 1, from + 1);
    // Between the first and the last changed line everything goes and comes: edits are short.
    let parts = [
        (' ', &before[from..same]),
        ('-', &before[same..old_end]),
        ('+', &after[same..new_end]),
        (' ', &before[old_end..old_end + kept]),
    ];
    for (sign, lines) in parts {
        for line in lines {
            diff.push(sign);
            diff.push_str(line);
            if !line.ends_with('\n') {
                diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    diff
}

/// A file's name in a diff, as `patch -p1` takes it: without a `..`, and with a tab behind a name that has spaces.
fn named(path: &str) -> String {
    let goes_up = path.split('/').any(|part| part == "..");
    let whole = Some(path).filter(|_| goes_up).and_then(|path| std::fs::canonicalize(path).ok());
    let path = whole.map_or(path.to_string(), |whole| whole.display().to_string());
    let tab = if path.contains(char::is_whitespace) { "\t" } else { "" };
    format!("{}{tab}", path.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn names_with_spaces_end_with_a_tab() {
        assert!(unified("my prog.c", "a\n", "b\n").starts_with("--- a/my prog.c\t\n+++ b/my prog.c\t\n@@"));
    }

    #[test]
    fn a_line_is_changed() {
        let old = "a\nb\nc\nd\ne\nf\n";
        let diff = unified("x.c", old, "a\nb\nc\nD\ne\nf\n");
        assert_eq!(diff, "--- a/x.c\n+++ b/x.c\n@@ -1,6 +1,6 @@\n a\n b\n c\n-d\n+D\n e\n f\n");
        assert_eq!(unified("x.c", old, old), "");
        assert_eq!(
            unified("x.c", "a", "b"),
            "--- a/x.c\n+++ b/x.c\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
        );
    }
}
