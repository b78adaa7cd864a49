//! Source files and places in them.

use crate::debug_info::Node;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use wherefore_program::{FileId, Note, Origin};

/// The table of files, under the names the user gave them, and the notes.
#[derive(Default)]
pub(crate) struct Sources {
    pub files: Vec<String>,
    pub notes: Vec<Note>,
    noted: HashSet<(String, Option<(FileId, u32)>)>,
    by_node: HashMap<Node, FileId>,
    by_path: HashMap<PathBuf, FileId>,
    here: PathBuf,
}

impl Sources {
    /// C files among the inputs come first, in the user's order.
    pub fn new(inputs: &[PathBuf]) -> Sources {
        let here = std::env::current_dir().unwrap_or_default();
        let mut sources = Sources { here, ..Sources::default() };
        for input in inputs {
            let is_ir = input.extension().is_some_and(|e| e == "bc" || e == "ll");
            if !is_ir {
                sources.file(&input.to_string_lossy(), input);
            }
        }
        sources
    }

    fn file(&mut self, name: &str, path: &Path) -> FileId {
        let path = path.canonicalize().unwrap_or_else(|_| without_detours(path));
        *self.by_path.entry(path).or_insert_with(|| {
            self.files.push(name.to_string());
            FileId(self.files.len() as u32 - 1)
        })
    }

    fn file_of(&mut self, node: Node) -> FileId {
        if let Some(id) = self.by_node.get(&node) {
            return *id;
        }
        let (directory, name) = node.file_path();
        let path = Path::new(&directory).join(&name);
        // As the compiler found it, unless that was from another directory.
        let from_here = || without_detours(&path).strip_prefix(&self.here).ok().map(Path::to_path_buf);
        let shown = match Path::new(&directory) == self.here {
            true => name,
            false => from_here().unwrap_or_else(|| path.clone()).to_string_lossy().into_owned(),
        };
        let id = self.file(&shown, &path);
        self.by_node.insert(node, id);
        id
    }

    /// The place of an instruction or a declaration.
    pub fn origin(&mut self, location: Node) -> Option<Origin> {
        let (line, column, file) = location.location();
        self.place(file, line, column)
    }

    /// A place by its parts; line 0 is the compiler's way to say that there is none.
    pub fn place(&mut self, file: Option<Node>, line: u32, column: u32) -> Option<Origin> {
        let file = self.file_of(file?);
        (line > 0).then_some(Origin { file, line, column })
    }

    /// Says once per line that something is not modelled exactly.
    pub fn note(&mut self, at: Option<Origin>, message: &str) {
        if self.noted.insert((message.to_string(), at.map(|o| (o.file, o.line)))) {
            self.notes.push(Note { at, message: message.to_string() });
        }
    }

    /// `file:line:column` for messages.
    pub fn show(&self, at: Option<Origin>) -> String {
        match at {
            Some(o) => format!("{}:{}:{}", self.files[o.file.index()], o.line, o.column),
            None => "somewhere in the program".to_string(),
        }
    }
}

/// A path by its words alone, for files that are gone.
fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
