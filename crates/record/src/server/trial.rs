//! Cases that are run for one choice between edits after the other, in one process as far as possible.
//!
//! A process of its own for each case takes longer than most cases do. In a trial the memory of the process is put back
//! after each of them instead (`runtime/trial.h`), and the cases are judged where they run. What cannot be undone, such as an
//! opened file, makes the answer [`Verdict::NotKnown`]: then the cases have to be run one by one.

use super::case::{Encoded, Task};
use super::case_file::CaseFile;
use crate::error::Error;
use crate::layout::PAGE;
use std::path::Path;
use wherefore_case::Expected;

/// A case with what it has to do.
pub struct Wanted<'a> {
    /// What it is given.
    pub task: Task<'a>,
    /// How it has to end; it may not die.
    pub expected: &'a Expected,
    /// Groups of blocks: of each it has to execute one.
    pub needed: Vec<Vec<u32>>,
}

/// What came of a choice.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All cases pass.
    Passes,
    /// This case fails; others are not run then, unless the trial goes to the end.
    Fails(usize),
    /// Which cases pass, by bits in the order given; in a trial that goes to the end.
    Each(u64),
    /// It does what cannot be undone, or ended the process.
    NotKnown,
    /// There was no time for it.
    NotTried,
}

/// Cases to be tried. What has failed is run early with the next choice.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The words that say where everything is, one for each case further on, and the texts.
    fixed: Vec<u8>,
    cases: usize,
    chooser: Option<u32>,
    to_the_end: bool,
}

/// Words of `struct trial` and `struct trial_case` in `runtime/trial.h`.
const HEAD: usize = 8;
const CASE: usize = 12;
/// What `result` is until it is known, and where it never is.
const NOT_TRIED: u64 = u64::MAX;
const NOT_KNOWN: u64 = u64::MAX - 1;
/// Where a status does not matter.
const ANY: u64 = u64::MAX;

/// Most cases of a trial that goes to the end.
const BITS: usize = 60;

impl Trial {
    /// A trial of some cases of a program; `chooser` is the global, by its number, that is given the choice.
    ///
    /// # Errors
    /// When a case cannot be given to a program.
    ///
    /// # Panics
    /// When it is to go to the end and has more cases than an answer has room for.
    pub fn new(cases: &[Wanted], executable: &Path, chooser: Option<u32>, to_the_end: bool) -> Result<Trial, Error> {
        assert!(!to_the_end || cases.len() <= BITS, "a bit for each case");
        let mut words: Vec<u64> = vec![0; HEAD];
        let mut texts: Vec<u8> = vec![];
        let start = 8 * (HEAD + CASE * cases.len());
        for case in cases {
            let encoded = Encoded::new(&case.task, executable)?;
            let mut put = |bytes: &[u8]| {
                let at = PAGE as usize + start + texts.len();
                texts.extend_from_slice(bytes);
                at as u64
            };
            let (inputs, nondet) = (encoded.inputs.as_bytes(), encoded.nondet.as_bytes());
            let text = put(inputs);
            put(nondet);
            put(&encoded.arguments);
            words.extend([text, inputs.len() as u64, nondet.len() as u64]);
            words.extend([encoded.argument_count as u64, encoded.arguments.len() as u64]);
            words.extend([put(encoded.stdin), encoded.stdin.len() as u64]);
            match &case.expected.stdout {
                Some(wanted) => words.extend([put(wanted), wanted.len() as u64]),
                None => words.extend([0, 0]),
            }
            words.push(case.expected.status.map_or(ANY, |status| u64::from(status as u8)));
            let groups = case.needed.iter().flat_map(|group| [&[group.len() as u32], &group[..]].concat());
            let groups: Vec<u8> = groups.flat_map(u32::to_ne_bytes).collect();
            texts.resize(texts.len().next_multiple_of(8), 0);
            let needed = PAGE as usize + start + texts.len();
            texts.extend_from_slice(&groups);
            words.extend([needed as u64, groups.len() as u64 / 4]);
        }
        let mut fixed: Vec<u8> = words.into_iter().flat_map(u64::to_ne_bytes).collect();
        fixed.append(&mut texts);
        fixed.resize(fixed.len().next_multiple_of(8), 0);
        Ok(Trial { fixed, cases: cases.len(), chooser, to_the_end })
    }

    /// Whether it has no cases.
    pub(super) fn is_empty(&self) -> bool {
        self.cases == 0
    }

    /// What is true where no case is run.
    pub(super) fn of_nothing(&self) -> Verdict {
        if self.to_the_end { Verdict::Each(0) } else { Verdict::Passes }
    }

    /// How many bytes it takes with so many choices.
    pub(super) fn bytes(&self, choices: usize) -> u64 {
        (self.results() + 16 * choices) as u64
    }

    /// Where the results are.
    fn results(&self) -> usize {
        self.fixed.len() + (4 * self.cases).next_multiple_of(8)
    }

    /// How many bytes it takes where what each case does is counted, in a program of so many blocks.
    pub(super) fn bytes_counted(&self, blocks: u64) -> u64 {
        self.bytes(1) + 4 * self.cases as u64 * (1 + blocks)
    }

    /// As the runtime reads it.
    pub(super) fn encoded(&self, choices: &[u32]) -> Vec<u8> {
        self.written(choices, 0)
    }

    /// The same of the program as it is, where what each case does is counted.
    pub(super) fn encoded_counted(&self, blocks: u64) -> Vec<u8> {
        let mut bytes = self.written(&[0], PAGE + self.bytes(1));
        bytes.resize(self.bytes_counted(blocks) as usize, 0);
        bytes
    }

    /// For each case how often it executed each of so many blocks, if it passes.
    pub(super) fn read_counted(&self, blocks: u64, file: &CaseFile) -> Vec<Option<Vec<u32>>> {
        if !self.is_as_written(file) {
            return vec![None; self.cases];
        }
        let words = file.room(self.bytes(1) as usize, self.cases * (1 + blocks as usize));
        words.chunks_exact(1 + blocks as usize).map(|words| (words[0] == 1).then(|| words[1..].to_vec())).collect()
    }

    fn written(&self, choices: &[u32], counts: u64) -> Vec<u8> {
        let mut bytes = self.fixed.clone();
        let place = |offset: usize| PAGE + offset as u64;
        let head: [u64; HEAD] = [
            self.cases as u64,
            choices.len() as u64,
            self.chooser.map_or(0, |id| u64::from(id) + 1),
            u64::from(self.to_the_end),
            0,
            place(self.fixed.len()),
            place(self.results()),
            counts,
        ];
        for (to, word) in bytes.chunks_exact_mut(8).zip(head) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        bytes.extend((0..self.cases as u32).flat_map(u32::to_ne_bytes));
        bytes.resize(self.results(), 0);
        bytes.extend(choices.iter().flat_map(|c| [u64::from(*c), NOT_TRIED]).flat_map(u64::to_ne_bytes));
        bytes
    }

    /// What came of so many choices.
    pub(super) fn read(&self, choices: usize, file: &CaseFile) -> Vec<Verdict> {
        // A program can write anywhere; then nothing of this is worth anything.
        if !self.is_as_written(file) {
            return vec![Verdict::NotKnown; choices];
        }
        let words = file.room(self.results(), 4 * choices);
        let result = |words: &[u32]| u64::from(words[2]) | u64::from(words[3]) << 32;
        let verdict = |result: u64| match result {
            NOT_TRIED => Verdict::NotTried,
            NOT_KNOWN => Verdict::NotKnown,
            bits if self.to_the_end => Verdict::Each(bits),
            0 => Verdict::Passes,
            case if case <= self.cases as u64 => Verdict::Fails(case as usize - 1),
            _ => Verdict::NotKnown,
        };
        words.chunks_exact(4).map(|words| verdict(result(words))).collect()
    }

    /// Whether the cases are still what they were; of the head only how many.
    fn is_as_written(&self, file: &CaseFile) -> bool {
        let head = file.room(0, 2 * HEAD);
        let bytes = file.room(8 * HEAD, (self.fixed.len() - 8 * HEAD) / 4);
        let fixed = self.fixed[8 * HEAD..].chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
        head[0] as usize == self.cases && bytes.into_iter().eq(fixed)
    }
}
