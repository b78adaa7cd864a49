//! The cores known so far, from both sides: what is in a core, and in which cores a statement is.

use crate::bits::Bits;
use crate::enumeration::{arrange, normal};
use crate::oracle::{Set, Statement};

pub(crate) struct Family {
    cores: Vec<Set>,
    /// The members of each core.
    members: Vec<Bits>,
    /// For each statement the cores it is in.
    occurrences: Vec<Bits>,
    has_empty: bool,
    /// Whether a core was added since the cores were put in order.
    has_late: bool,
}

impl Family {
    /// Cores of so many statements, smaller ones first.
    pub fn new(count: usize, cores: impl IntoIterator<Item = Set>) -> Family {
        let mut cores: Vec<Set> = cores.into_iter().map(|core| normal(&core)).collect();
        arrange(&mut cores);
        cores.dedup();
        let mut family = Family::without_cores(count);
        for core in cores {
            family.add(core);
        }
        family.has_late = false;
        family
    }

    fn without_cores(count: usize) -> Family {
        Family {
            cores: Vec::new(),
            members: Vec::new(),
            occurrences: vec![Bits::default(); count],
            has_empty: false,
            has_late: false,
        }
    }

    /// Drops the cores that contain another, smaller ones first: whoever hits the smaller one hits the larger one.
    pub fn reduce(self) -> Family {
        let mut cores = self.cores;
        arrange(&mut cores);
        let mut family = Family::without_cores(self.occurrences.len());
        for core in cores {
            if !family.has_subset(&core) {
                family.add(core);
            }
        }
        family.has_late = false;
        family
    }

    /// Puts late cores in order, and drops what they make needless.
    pub fn tidy(self) -> Family {
        if self.has_late { self.reduce() } else { self }
    }

    fn has_subset(&self, set: &[Statement]) -> bool {
        let mut members = set.iter().peekable();
        let mut with_others = Bits::default();
        for (statement, occurrences) in self.occurrences.iter().enumerate() {
            if members.next_if(|&&member| member as usize == statement).is_none() {
                with_others.add(occurrences);
            }
        }
        with_others.len() < self.cores.len()
    }

    /// Adds a core and gives its number.
    pub fn add(&mut self, core: Set) -> usize {
        let number = self.cores.len();
        for &statement in &core {
            self.occurrences[statement as usize].insert(number);
        }
        self.members.push(core.iter().map(|&s| s as usize).collect());
        self.has_late = true;
        self.has_empty |= core.is_empty();
        self.cores.push(core);
        number
    }

    /// Whether nothing can hit all cores.
    pub fn has_empty(&self) -> bool {
        self.has_empty
    }

    /// The number of cores.
    pub fn len(&self) -> usize {
        self.cores.len()
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
