//! The rows, by header.

mod characters;
mod math;
mod stdio;
mod stdlib;
mod strings;
mod system;
mod verifiers;

pub use verifiers::{LABEL, NOTHING, UNREACHABLE};

use crate::Function;

/// All of them.
pub(crate) const ALL: &[&[Function]] =
    &[characters::ROWS, math::ROWS, stdio::ROWS, stdlib::ROWS, strings::ROWS, system::ROWS, verifiers::ROWS];
