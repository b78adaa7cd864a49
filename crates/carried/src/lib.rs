//! What objects and executables of `wherefore cc` carry: the LLVM bitcode they were made of, and for an executable also its
//! instrumented twin, its sources and its link line.
//!
//! It lies in sections of ELF files that nothing loads. `ar` and `ld -r` keep them, and a linker puts those of all objects that
//! a link really takes, archive members included, one behind the other: so an executable says itself what it is made of.
//!
//! Knows: ELF, and the layout of these sections. Must not know: LLVM, or what the bitcode means. Does no I/O.

mod elf;
mod entry;
mod origin;

pub use elf::{append, section};
pub use entry::{Entry, Module, PROGRAM_SECTION, SECTION, Source, TWIN_SECTION, Twin, read, twin_of};
pub use origin::{ORIGIN, with_origin};

/// What is wrong with a file.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[error("{0}")]
pub struct Damaged(pub &'static str);
