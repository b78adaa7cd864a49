//! Programs made up by chance that fail, and what has to be true of their explanations.
//!
//! A [`sketch`] is drawn by proptest and [written down](render); a native run finds out what an assertion has to say to
//! [fail](subject); the program is [explained](explained) and the explanation held against the [`properties`], among
//! them that what it prints is C and true [in reality](reality). Its precondition is put to [`trials`].

#![allow(dead_code)] // Each test binary uses its own part.

pub mod asked;
pub mod explained;
pub mod inputs;
pub mod native;
pub mod properties;
pub mod reality;
pub mod render;
pub mod scalar;
pub mod scope;
pub mod shrunk;
pub mod sketch;
pub mod strategy;
pub mod subject;
pub mod trials;
pub mod verdict;
