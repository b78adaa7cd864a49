//! What the engine keeps while it unfolds, by idea. Each part alone knows how it keeps it.

mod console;
mod objects;
mod outcomes;
mod softening;
mod sources;
mod stack;
mod variables;

pub(crate) use console::Console;
pub(crate) use objects::Objects;
pub(crate) use outcomes::Outcomes;
pub(crate) use softening::{Read, Softening};
pub(crate) use sources::Sources;
pub(crate) use stack::Stack;
pub(crate) use variables::Variables;
