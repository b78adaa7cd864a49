//! Other texts for the compiler than those of the program's files; no file of the user's is changed.

use std::path::{Path, PathBuf};
use wherefore_record::Scratch;

/// A folder with texts that stand for files.
pub struct Overlay(Scratch);

/// Texts that stand for these files.
///
/// # Errors
/// When they cannot be written.
pub fn overlay(files: &[PathBuf], texts: &[String]) -> anyhow::Result<Overlay> {
    let directory = Scratch::new()?;
    let mut roots = vec![];
    for (number, (file, text)) in files.iter().zip(texts).enumerate() {
        let path = directory.path().join(format!("{number}.c"));
        std::fs::write(&path, text)?;
        let name = std::path::absolute(file)?;
        roots.push(serde_json::json!({ "name": name, "type": "file", "external-contents": path }));
    }
    let overlay = serde_json::json!({ "version": 0, "use-external-names": false, "roots": roots });
    std::fs::write(described(directory.path()), overlay.to_string())?;
    Ok(Overlay(directory))
}

impl Overlay {
    /// What clang has to be told.
    pub fn arguments(&self) -> [String; 2] {
        ["-ivfsoverlay".to_string(), described(self.0.path()).to_string_lossy().into_owned()]
    }
}

/// The file that says which texts stand for which files.
fn described(directory: &Path) -> PathBuf {
    directory.join("overlay")
}
