//! Smaller cores, as long as they are cheap.

use crate::enumeration::normal;
use crate::oracle::{Oracle, Set, Statement, Verdict};

/// Asks the oracle about a core alone, which may name a smaller one.
///
/// Questions are dear, and cores of CaDiCaL hardly get smaller this way; to leave out one statement after the other
/// would cost more questions than it saves (`examples/programs.rs`). So this pauses, longer and longer, unless it pays.
#[derive(Default)]
pub(crate) struct Shrinker {
    /// How many cores to leave alone after a vain attempt.
    pause: u32,
    /// How many of them are left.
    waiting: u32,
}

impl Shrinker {
    const LONGEST_PAUSE: u32 = 63;

    pub fn shrink(&mut self, oracle: &mut dyn Oracle, test: usize, core: Set) -> Set {
        if self.waiting > 0 {
            self.waiting -= 1;
            return core;
        }
        let is_other = |statement: &Statement| core.binary_search(statement).is_err();
        let others: Set = (0..oracle.count() as Statement).filter(is_other).collect();
        let smaller = match oracle.check(test, &others) {
            Verdict::Core(smaller) => {
                assert!(!smaller.iter().any(is_other), "core {smaller:?} has a statement that was not kept");
                normal(&smaller)
            }
            Verdict::Repairs | Verdict::Unknown(_) => core.clone(),
        };
        // One statement of many less does not pay.
        let pays = smaller.len() + core.len() / 16 < core.len();
        self.pause = if pays { 0 } else { (2 * self.pause + 1).min(Self::LONGEST_PAUSE) };
        self.waiting = self.pause;
        if smaller.len() < core.len() { smaller } else { core }
    }
}
