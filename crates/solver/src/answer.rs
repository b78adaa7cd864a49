//! What can be asked for and what can be answered.

use std::time::Duration;

/// The answer to a satisfiability question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Some assignment satisfies all assertions and assumptions.
    Sat,
    /// No assignment does.
    Unsat,
    /// The backend gave up.
    Unknown(Reason),
}

/// Why a backend gave up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// The time of [`Limits`] was used up.
    #[error("out of time")]
    TimeOut,
    /// The conflicts of [`Limits`] were used up.
    #[error("out of conflicts")]
    Conflicts,
    /// There was not enough memory.
    #[error("out of memory")]
    Memory,
    /// The [`StopSource`](crate::StopSource) of the solver said so.
    #[error("interrupted")]
    Interrupted,
    /// The backend cannot decide formulas with this.
    #[error("{0} is not supported")]
    Unsupported(String),
    /// The backend's own words.
    #[error("{0}")]
    Other(String),
}

/// How much one check may cost. Nothing is limited by default.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Conflicts of the search; the same number gives the same answer on every machine.
    pub conflicts: Option<u64>,
    /// Memory in MiB. CaDiCaL has no such limit and ignores it.
    pub memory_mib: Option<u64>,
    /// Conflicts where CaDiCaL has to look into float arithmetic, which can take long; with none it does not. What needs
    /// more is [`Reason::Unsupported`], so that another backend can be asked. Z3 ignores this.
    pub float_conflicts: Option<u64>,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits { time: None, conflicts: None, memory_mib: None, float_conflicts: None };

    /// The same, with so many conflicts for float arithmetic.
    pub const fn floats(self, conflicts: u64) -> Limits {
        Limits { float_conflicts: Some(conflicts), ..self }
    }

    /// A limit of time only.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::NONE }
    }

    /// A limit of conflicts only.
    pub fn conflicts(conflicts: u64) -> Limits {
        Limits { conflicts: Some(conflicts), ..Limits::NONE }
    }
}

/// The answer to the question whether premises imply a conclusion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Validity {
    /// They do.
    Valid,
    /// Some assignment satisfies the premises and not the conclusion.
    Invalid,
    /// The backend gave up.
    Unknown(Reason),
}
