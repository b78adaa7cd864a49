//! The cores known so far, from both sides: what is in a core, and in which cores a statement is.

use crate::bits::Bits;
use crate::enumeration::{arrange, normal};
use crate::oracle::{Set, Statement};
use crate::trie::Trie;

pub(crate) struct Family {
    /// The cores, each with its members.
    members: Vec<Bits>,
    /// For each statement the cores it is in.
    occurrences: Vec<Bits>,
    cores: Vec<Set>,
    has_empty: bool,
}

impl Family {
    /// The cores without those that contain another: whoever hits the smaller one hits the larger one.
    pub fn new(count: usize, cores: impl IntoIterator<Item = Set>) -> Family {
        let mut cores: Vec<Set> = cores.into_iter().map(|core| normal(&core)).collect();
        arrange(&mut cores);
        let mut family = Family::none(count);
        let mut smaller = Trie::default();
        for core in cores {
            if !smaller.has_subset(&core) {
                smaller.insert(&core);
                family.add(core);
            }
        }
        family
    }

    fn none(count: usize) -> Family {
        Family { members: Vec::new(), occurrences: vec![Bits::default(); count], cores: Vec::new(), has_empty: false }
    }

    /// Drops the cores that contain another.
    pub fn reduce(self) -> Family {
        Family::new(self.occurrences.len(), self.cores)
    }

    /// Adds a core and gives its number.
    pub fn add(&mut self, core: Set) -> usize {
        let number = self.members.len();
        self.has_empty |= core.is_empty();
        for &statement in &core {
            let statement = statement as usize;
            if statement >= self.occurrences.len() {
                self.occurrences.resize(statement + 1, Bits::default());
            }
            self.occurrences[statement].insert(number);
        }
        self.members.push(core.iter().map(|&s| s as usize).collect());
        self.cores.push(core);
        number
    }

    /// Whether nothing can hit all cores.
    pub fn has_empty(&self) -> bool {
        self.has_empty
    }

    /// The number of cores.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The number of statements.
    pub fn count(&self) -> usize {
        self.occurrences.len()
    }

    pub fn members(&self, core: usize) -> &Bits {
        &self.members[core]
    }

    pub fn occurrences(&self, statement: Statement) -> &Bits {
        &self.occurrences[statement as usize]
    }

    pub fn into_cores(self) -> Vec<Set> {
        self.cores
    }
}
