//! Paths as a person would type them in the current folder.

use serde_json::Value;
use std::path::{Component, Path};
use wherefore_report::Report;

/// Files of a program whose paths are shorter from the current folder than as they were given.
pub struct Nearby {
    /// As given, and from here.
    paths: Vec<(String, String)>,
}

impl Nearby {
    /// Look at the files from a folder.
    pub fn new(files: &[String], folder: Option<&Path>) -> Nearby {
        let from_here = |file: &String| Some((file.clone(), relative(Path::new(file), folder?)?));
        let paths = files.iter().filter_map(from_here).filter(|(given, here)| here.len() < given.len());
        let mut paths: Vec<(String, String)> = paths.collect();
        // A path may begin like another one.
        paths.sort_by_key(|(given, _)| std::cmp::Reverse(given.len()));
        Nearby { paths }
    }

    /// The path of a file as it was given.
    pub fn given<'a>(&'a self, path: &'a str) -> &'a str {
        self.paths.iter().find(|(_, here)| here == path).map_or(path, |(given, _)| given)
    }

    /// A report with the short paths; nothing where there are none.
    pub fn shorten(&self, report: &Report) -> Option<Report> {
        if self.paths.is_empty() {
            return None;
        }
        let mut value = serde_json::to_value(report).ok()?;
        self.shorten_all(&mut value);
        serde_json::from_value(value).ok()
    }

    fn shorten_all(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.shortened(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.shorten_all(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.shorten_all(field)),
            _ => {}
        }
    }

    /// A path alone, or in a text before the number of a line: what the program itself says of a file stays as it is.
    fn shortened(&self, text: &str) -> String {
        let mut text = text.to_string();
        for (given, here) in &self.paths {
            if text == *given {
                return here.clone();
            }
            for digit in '0'..='9' {
                text = text.replace(&format!("{given}:{digit}"), &format!("{here}:{digit}"));
            }
        }
        text
    }
}

/// An absolute path from a folder; nothing where they have nothing in common.
fn relative(path: &Path, folder: &Path) -> Option<String> {
    let parts: Vec<Component> = path.components().collect();
    let here: Vec<Component> = folder.components().collect();
    let common = parts.iter().zip(&here).take_while(|(a, b)| a == b).count();
    if !path.is_absolute() || common < 2 || parts.contains(&Component::ParentDir) {
        return None;
    }
    let up = here[common..].iter().map(|_| "..".to_string());
    let down = parts[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wherefore_report::{Failure, Input, Loc, Trace};

    #[test]
    fn paths_are_told_from_the_current_folder_where_that_is_shorter() {
        let files = ["/home/me/tool/src/a.c", "/home/me/lib/b.h", "given.c", "/usr/include/c.h"].map(String::from);
        let nearby = Nearby::new(&files, Some(Path::new("/home/me/tool")));
        let short: Vec<String> = files.iter().map(|f| nearby.shortened(f)).collect();
        assert_eq!(short, ["src/a.c", "../lib/b.h", "given.c", "/usr/include/c.h"]);
        assert_eq!(nearby.given("src/a.c"), "/home/me/tool/src/a.c");
    }

    #[test]
    fn what_the_program_was_given_stays() {
        let nearby = Nearby::new(&["/home/me/a.c".to_string()], Some(Path::new("/home/me")));
        let mut report = Report::new("explain");
        let at = Loc { file: "/home/me/a.c".into(), line: 3, ..Loc::default() };
        let message = "made at /home/me/a.c:7".to_string();
        report.failure = Some(Failure { at, message, ..Failure::default() });
        let given = Input { name: "argv[1]".into(), value: "\"/home/me/a.c\"".into() };
        report.trace = Some(Trace { inputs: vec![given.clone()], ..Trace::default() });
        let short = nearby.shorten(&report).expect("there is a short path");
        let failure = short.failure.expect("it fails");
        assert_eq!((failure.at.file.as_str(), failure.message.as_str()), ("a.c", "made at a.c:7"));
        assert_eq!(short.trace.expect("a trace").inputs, [given]);
    }
}
