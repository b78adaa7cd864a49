//! Sets by their common beginnings, to find a subset among many sets.

use crate::oracle::Statement;

/// A tree whose paths from the root are sets.
#[derive(Default)]
pub(crate) struct Trie {
    /// By the next member, in increasing order.
    children: Vec<(Statement, Trie)>,
    /// Whether a set ends here.
    is_end: bool,
}

impl Trie {
    pub fn insert(&mut self, set: &[Statement]) {
        let mut node = self;
        for &member in set {
            let at = match node.children.binary_search_by_key(&member, |child| child.0) {
                Ok(at) => at,
                Err(at) => {
                    node.children.insert(at, (member, Trie::default()));
                    at
                }
            };
            node = &mut node.children[at].1;
        }
        node.is_end = true;
    }

    /// Whether a set in here is a subset of this one.
    pub fn has_subset(&self, set: &[Statement]) -> bool {
        if self.is_end {
            return true;
        }
        let mut rest = set;
        self.children.iter().any(|(member, child)| {
            let before = rest.partition_point(|other| other < member);
            rest = &rest[before..];
            rest.first() == Some(member) && child.has_subset(&rest[1..])
        })
    }
}
