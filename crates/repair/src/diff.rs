//! A changed file as a unified diff.

use similar::TextDiff;

/// Unchanged lines shown on each side.
const CONTEXT: usize = 3;

/// The difference of two texts, with the names of the files; empty where there is none.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let path = named(path);
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(CONTEXT).header(&format!("a/{path}"), &format!("b/{path}")).to_string()
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
            "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
        );
    }
}
