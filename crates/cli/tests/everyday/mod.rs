//! The programs of `tests/everyday`: as people write them, each with one bug.
//!
//! A [program](program) says in comments how it is run, how it fails, where the cause lies and how the cause is repaired.
//! Its [answer](answer) is held against that; what does not hold yet stands in `tests/everyday/not_yet.txt` with the
//! reason. What a program says of its memory error is what [sanitizers](oracle) say.

#![allow(dead_code)] // Each binary uses its own part.

pub mod alarms;
pub mod answer;
pub mod mended;
pub mod oracle;
pub mod program;
pub mod read_asan;
pub mod read_valgrind;
pub mod report;
