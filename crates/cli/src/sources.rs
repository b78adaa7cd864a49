//! The source files of a program, read once.

use crate::boogie;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;
use wherefore_program::{FileId, Origin, Program};
use wherefore_report::Loc;
use wherefore_source::{Extent, SourceText};

/// Texts of the source files.
pub struct Sources {
    files: Vec<(String, OnceCell<Option<SourceText>>)>,
    kept: HashMap<String, String>,
}

impl Sources {
    /// The sources of a program; `kept` are texts that came with a recording.
    pub fn new(program: &Program, kept: HashMap<String, String>) -> Self {
        Sources { files: program.files.iter().map(|f| (f.clone(), OnceCell::new())).collect(), kept }
    }

    /// The text of a file, when it can be read.
    pub fn text(&self, file: FileId) -> Option<&SourceText> {
        let (name, cell) = self.files.get(file.index())?;
        cell.get_or_init(|| match self.kept.get(name) {
            Some(text) => Some(SourceText::new(name.clone(), text.clone())),
            None => std::fs::read(name).ok().map(|bytes| {
                let source = SourceText::from_bytes(name.clone(), &bytes);
                match boogie::is_one(Path::new(name)) {
                    true => {
                        let outline = wherefore_boogie::outline(source.as_str());
                        SourceText::outlined(name.clone(), source.as_str().to_string(), outline)
                    }
                    false => source,
                }
            }),
        })
        .as_ref()
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> &str {
        self.files.get(file.index()).map_or("", |f| &f.0)
    }

    /// A place with its extent.
    pub fn loc(&self, at: Option<Origin>, extent: Option<Extent>, function: &str) -> Loc {
        let Some(at) = at else { return Loc { function: function.into(), ..Loc::default() } };
        let extent = extent.unwrap_or(Extent {
            line: at.line,
            column: at.column.max(1),
            end_line: at.line,
            end_column: at.column.max(1),
        });
        Loc {
            file: self.path(at.file).to_string(),
            line: extent.line,
            column: extent.column,
            end_line: extent.end_line,
            end_column: extent.end_column,
            function: function.into(),
        }
    }

    /// `file:line:column: `, or nothing.
    pub fn prefix(&self, at: Option<Origin>) -> String {
        at.map_or(String::new(), |o| format!("{}:{}:{}: ", self.path(o.file), o.line, o.column))
    }
}
