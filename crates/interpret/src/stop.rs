//! Why a run stops.

/// Why a run stops.
#[derive(Debug)]
pub enum Stop {
    /// With an exit status.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// An assumption does not hold.
    Refused,
    /// At a limit of steps or words.
    Long,
    /// What the command may use is used up.
    Budget(wherefore_budget::Stop),
    /// At something that cannot be executed here.
    GaveUp(String),
}

/// Something that may stop the run.
pub type Going<T> = Result<T, Stop>;

pub const SIGABRT: i32 = 6;
pub const SIGFPE: i32 = 8;
pub const SIGSEGV: i32 = 11;

/// Gives up.
pub fn give_up<T>(what: impl Into<String>) -> Going<T> {
    Err(Stop::GaveUp(what.into()))
}
