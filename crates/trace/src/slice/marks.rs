//! When things of the slice happen in an activation, so that a decision before them is known to decide about them.
//!
//! A decision decides about what happens until its ways meet. The depth of a condition is how many conditions lie between it
//! and what is explained, as a story counts it ([`Level::farther`]): the next one out is one further away. Rounds of a loop
//! may be siblings in a trace, so that a decision which is made again is not further away than it was. It is never taken to be
//! further away than a story takes it.

use super::live::Level;
use wherefore_program::BlockId;

/// What is known of an activation of things that happen in it later.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Earlier moments last.
    marks: Vec<Mark>,
}

#[derive(Copy, Clone, Debug)]
struct Mark {
    moment: u64,
    level: Level,
    /// The decisions of the activation in between, by their heads, several to a bit.
    heads: u64,
    /// It happens after the activation has ended: only what may have ended the program decides about it.
    is_after: bool,
}

impl Marks {
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Something happens.
    pub fn add(&mut self, moment: u64, level: Level) {
        match self.marks.last_mut() {
            Some(last) if last.moment == moment && last.heads == 0 && !last.is_after => {
                last.level = last.level.max(level);
            }
            _ => self.marks.push(Mark { moment, level, heads: 0, is_after: false }),
        }
    }

    /// Something happens in callers when the activation has ended.
    pub fn add_after(&mut self, moment: u64, level: Level) {
        self.marks.push(Mark { moment, level, heads: 0, is_after: true });
    }

    /// How much anything matters that happens in the activation itself.
    pub fn own(&self) -> Level {
        self.marks.iter().filter(|mark| !mark.is_after).map(|mark| mark.level).max().unwrap_or_default()
    }

    /// How much anything matters that happens later, before a moment.
    pub fn before(&self, moment: u64) -> Level {
        self.marks.iter().filter(|mark| mark.moment < moment).map(|mark| mark.level).max().unwrap_or_default()
    }

    /// A decision that was made at a moment: how much it matters because of what happens before `until`. From now on it
    /// stands for that.
    pub fn decide(&mut self, moment: u64, head: BlockId, until: u64, leaves: bool) -> Level {
        let bit = 1u64 << (head.0 % 64);
        let decided = |mark: &Mark| mark.moment < until && (leaves || !mark.is_after);
        let (mut level, mut heads) = (Level::DEAD, 0);
        for mark in self.marks.iter().filter(|mark| decided(mark)) {
            level = level.max(if mark.heads & bit != 0 { mark.level } else { mark.level.farther() });
            heads |= mark.heads;
        }
        if !level.is_dead() {
            self.marks.retain(|mark| !decided(mark));
            self.marks.push(Mark { moment, level, heads: heads | bit, is_after: false });
        }
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_stands_for_what_it_decides_about() {
        let mut marks = Marks::default();
        marks.add(90, Level::explained(5));
        marks.add(50, Level::explained(3));
        assert_eq!(
            marks.decide(40, BlockId(1), 60, false),
            Level::explained(2),
            "what is behind its end is not its affair"
        );
        assert_eq!(marks.decide(30, BlockId(1), 60, false), Level::explained(2), "a round before is as near");
        assert_eq!(marks.decide(20, BlockId(2), u64::MAX, false), Level::explained(4));
        assert_eq!(marks.decide(10, BlockId(3), 15, false), Level::DEAD);
    }

    #[test]
    fn only_what_may_end_the_program_decides_about_what_comes_after_a_function() {
        let mut marks = Marks::default();
        marks.add_after(90, Level::explained(5));
        assert_eq!(marks.decide(40, BlockId(1), u64::MAX, false), Level::DEAD);
        assert!(marks.own().is_dead());
        assert_eq!(marks.decide(30, BlockId(2), u64::MAX, true), Level::explained(4));
        assert_eq!(marks.own(), Level::explained(4));
    }
}
