//! Where a version differs from the original: the injected fault.

/// The lines of `after` that are not in `before`, white space and comments aside; next to lines that are gone, the
/// neighbours.
pub fn changed_lines(before: &str, after: &str) -> Vec<u32> {
    let normal = |text: &str| -> Vec<(u32, String)> {
        let mut lines = vec![];
        let mut comment = false;
        for (number, line) in text.lines().enumerate() {
            let mut code = String::new();
            let mut rest = line;
            loop {
                if comment {
                    match rest.find("*/") {
                        Some(end) => {
                            comment = false;
                            rest = &rest[end + 2..];
                        }
                        None => break,
                    }
                } else {
                    match rest.find("/*") {
                        Some(start) => {
                            code.push_str(&rest[..start]);
                            comment = true;
                            rest = &rest[start + 2..];
                        }
                        None => {
                            code.push_str(rest);
                            break;
                        }
                    }
                }
            }
            let code: String = code.split_whitespace().collect();
            if !code.is_empty() {
                lines.push((number as u32 + 1, code));
            }
        }
        lines
    };
    let (a, b) = (normal(before), normal(after));
    // Longest common subsequence; the files are short.
    let mut best = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i][j] = if a[i].1 == b[j].1 { best[i + 1][j + 1] + 1 } else { best[i + 1][j].max(best[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut changed = vec![];
    let mut gone = vec![];
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i].1 == b[j].1 {
            i += 1;
            j += 1;
        } else if j < b.len() && (i == a.len() || best[i][j + 1] >= best[i + 1][j]) {
            changed.push(b[j].0);
            j += 1;
        } else {
            gone.extend([j.checked_sub(1), Some(j)].into_iter().flatten().filter_map(|n| b.get(n)).map(|l| l.0));
            i += 1;
        }
    }
    if changed.is_empty() { gone } else { changed }
}
