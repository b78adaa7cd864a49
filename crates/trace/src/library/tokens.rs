//! Not yet.

use super::Call;
use crate::builder::Value;
use crate::walk::Walker;

impl Walker<'_> {
    pub(super) fn token(&mut self, _call: &Call) -> Option<Value> {
        None
    }
}
