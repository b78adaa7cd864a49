//! What stands in the sections: entries one behind the other, each of a kind, with fields that say their length.

use crate::{Damaged, elf};

/// The section of objects, and so of what is linked of them.
pub const SECTION: &str = ".wherefore";
/// The section of a twin: its program.
pub const PROGRAM_SECTION: &str = ".wherefore.program";
/// The section of an executable that has its twin.
pub const TWIN_SECTION: &str = ".wherefore.twin";

/// The beginnings of the kinds of entries.
const MODULE: &[u8; 8] = b"WFMODULE";
const SOURCE: &[u8; 8] = b"WFSOURCE";
const LINKED: &[u8; 8] = b"WFLINKED";
/// How a section with a twin begins; then its number, then the twin.
const TWIN: &[u8; 8] = b"WFTWIN\0\0";

/// A compiled file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// The file, as the compiler was given it.
    pub name: String,
    /// Its LLVM bitcode.
    pub bitcode: Vec<u8>,
}

/// The text of a source file, as it was when the program was linked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its absolute path.
    pub path: String,
    /// Its content.
    pub text: Vec<u8>,
}

/// An entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A compiled file.
    Module(Module),
    /// The text of a source file.
    Source(Source),
    /// The arguments of the link that made the twin, apart from what is compiled.
    Linked(Vec<String>),
}

impl Entry {
    /// Its bytes. Entries follow each other without gaps, as linkers lay them.
    pub fn bytes(&self) -> Vec<u8> {
        let (kind, fields): (_, Vec<&[u8]>) = match self {
            Entry::Module(module) => (MODULE, vec![module.name.as_bytes(), &module.bitcode]),
            Entry::Source(source) => (SOURCE, vec![source.path.as_bytes(), &source.text]),
            Entry::Linked(arguments) => (LINKED, arguments.iter().map(String::as_bytes).collect()),
        };
        let mut bytes = kind.to_vec();
        bytes.extend((fields.len() as u64).to_le_bytes());
        for field in fields {
            bytes.extend((field.len() as u64).to_le_bytes());
            bytes.extend(field);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        bytes
    }
}

/// The entries of a section.
///
/// # Errors
/// When it is damaged.
pub fn read(section: &[u8]) -> Result<Vec<Entry>, Damaged> {
    let mut rest = section;
    let mut entries = vec![];
    while !rest.is_empty() {
        let kind: [u8; 8] = take(&mut rest, 8)?.try_into().expect("eight bytes");
        let count = length(&mut rest)?;
        let mut fields = vec![];
        for _ in 0..count {
            let bytes = length(&mut rest)?;
            fields.push(take(&mut rest, bytes)?);
            take(&mut rest, bytes.next_multiple_of(8) - bytes)?;
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        entries.push(match (&kind, &fields[..]) {
            (MODULE, [name, bitcode]) => Entry::Module(Module { name: text(name), bitcode: bitcode.to_vec() }),
            (SOURCE, [path, content]) => Entry::Source(Source { path: text(path), text: content.to_vec() }),
            (LINKED, arguments) => Entry::Linked(arguments.iter().map(|a| text(a)).collect()),
            _ => return Err(Damaged("it has something of an unknown kind")),
        });
    }
    Ok(entries)
}

/// An instrumented executable inside of another one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Twin<'a> {
    /// Tells it from others.
    pub number: u64,
    /// The executable.
    pub file: &'a [u8],
}

impl Twin<'_> {
    /// What its section holds.
    pub fn bytes(&self) -> Vec<u8> {
        [&TWIN[..], &self.number.to_le_bytes(), self.file].concat()
    }
}

/// The twin in an executable; none where it was not made by `wherefore cc`, or has none.
///
/// # Errors
/// When the file is damaged.
pub fn twin_of(file: &[u8]) -> Result<Option<Twin<'_>>, Damaged> {
    let Some(section) = elf::section(file, TWIN_SECTION)? else { return Ok(None) };
    let (kind, rest) = section.split_at_checked(8).ok_or(CUT)?;
    let (number, file) = rest.split_first_chunk().ok_or(CUT)?;
    if kind != TWIN {
        Err(Damaged("its twin is not one"))
    } else {
        Ok(Some(Twin { number: u64::from_le_bytes(*number), file }))
    }
}

const CUT: Damaged = Damaged("it is cut short");

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> Result<&'a [u8], Damaged> {
    let (taken, left) = rest.split_at_checked(bytes).ok_or(CUT)?;
    *rest = left;
    Ok(taken)
}

/// A length, which cannot be more than what is left.
fn length(rest: &mut &[u8]) -> Result<usize, Damaged> {
    let number = u64::from_le_bytes(take(rest, 8)?.try_into().expect("eight bytes"));
    usize::try_from(number).ok().filter(|number| *number <= rest.len()).ok_or(CUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        vec![
            Entry::Module(Module { name: "a.c".into(), bitcode: b"BC\xc0\xde1".to_vec() }),
            Entry::Source(Source { path: "/there/a.c".into(), text: vec![] }),
            Entry::Linked(vec!["-lm".into(), "/lib/x.o".into()]),
            Entry::Linked(vec![]),
        ]
    }

    #[test]
    fn entries_follow_each_other() {
        let bytes: Vec<u8> = entries().iter().flat_map(Entry::bytes).collect();
        assert_eq!(bytes.len() % 8, 0);
        assert_eq!(read(&bytes), Ok(entries()));
    }

    #[test]
    fn damaged_entries_never_panic() {
        let whole: Vec<u8> = entries().iter().flat_map(Entry::bytes).collect();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let _ = read(&bytes);
            if at > 0 && read(&whole[..at]).is_ok() {
                assert!(read(&whole[..at]).unwrap().len() < entries().len());
            }
        }
    }
}
