//! Recordings as files: the program, its sources and what happened, so that nothing else is needed to explain it.

use crate::boogie;
use crate::options::Record as Options;
use crate::progress::Progress;
use crate::run::{Happened, Unended, happened};
use crate::sources::Sources;
use crate::{Status, UsageError, Work, sealed};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use wherefore_program::{FileId, Program};
use wherefore_record::{Captured, Recording, RecordingError, Unfinished};
use wherefore_report as report;
use wherefore_report::words::counted;
use wherefore_trace::{STACK, Stopped};

#[derive(Serialize, Deserialize)]
struct Header {
    program: Program,
    sources: HashMap<String, String>,
    stopped: Ended,
    given: Vec<(String, String)>,
    globals: Vec<u32>,
    notes: Vec<String>,
    partial: Option<String>,
    /// Whether the run was still going on when it was stopped.
    #[serde(default)]
    unended: bool,
    /// And nothing went on in it any more.
    #[serde(default)]
    stands_still: bool,
    output: String,
    /// Standard output, a character for each byte; of older recordings it is not known.
    #[serde(default)]
    stdout: Option<String>,
    /// Standard input in the same way, of a run that was stopped, where it is all that would ever have been there.
    #[serde(default)]
    stdin: Option<String>,
}

#[derive(Serialize, Deserialize)]
enum Ended {
    Exit(i32),
    Signal(i32),
    Limit,
}

/// `wherefore record`.
pub fn record(options: &Options, work: &Work) -> anyhow::Result<Status> {
    boogie::refuse(&options.run, "a run of Boogie is made again in no time, and not written to a file")?;
    let mut progress = Progress::new(options.run.quiet);
    let happened = happened(&options.run, &work.budget, &|name| progress.phase(name))?;
    progress.phase("writing");
    let status = if happened.partial.is_some() { Status::Partial } else { Status::Explained };
    save(&options.output, &happened)
        .map_err(|e| anyhow::anyhow!(UsageError(format!("{}: {e:#}", options.output.display()))))?;
    progress.finish();
    if !options.run.quiet {
        for note in &happened.notes {
            eprintln!("wherefore: note: {note}");
        }
        let events = counted(happened.recording.words().len() as u64, "word");
        eprintln!("wherefore: {events} recorded in {}", options.output.display());
    }
    if let Some(reason) = happened.partial {
        eprintln!("wherefore: partial: {reason}");
    }
    Ok(status)
}

fn save(path: &Path, happened: &Happened) -> anyhow::Result<()> {
    let sources = Sources::new(&happened.program, happened.kept.clone());
    let mut texts = HashMap::new();
    for (index, name) in happened.program.files.iter().enumerate() {
        if let Some(text) = sources.text(FileId(index as u32)) {
            let lines: Vec<&str> = (1..=text.line_count()).map(|n| text.line(n)).collect();
            texts.insert(name.clone(), lines.join("\n"));
        }
    }
    let text = |bytes: &[u8]| bytes.iter().map(|b| char::from(*b)).collect::<String>();
    let header = Header {
        program: happened.program.clone(),
        sources: texts,
        stopped: match happened.stopped {
            Stopped::Exit(status) => Ended::Exit(status),
            Stopped::Signal(signal) => Ended::Signal(signal),
            Stopped::Limit => Ended::Limit,
        },
        given: happened.given.iter().map(|g| (g.name.clone(), g.value.clone())).collect(),
        globals: happened.globals.clone(),
        notes: happened.notes.clone(),
        partial: happened.partial.clone(),
        unended: happened.unended.is_some(),
        stands_still: happened.stands_still,
        output: happened.output.clone(),
        stdout: happened.stdout.complete().then(|| text(&happened.stdout.kept)),
        stdin: happened.stdin.as_deref().filter(|_| happened.unended.is_some()).map(text),
    };
    let header = serde_json::to_vec(&header)?;
    // Written beside and moved: a recording that exists is complete.
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let readable = std::fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().permissions(readable).tempfile_in(directory)?;
    let (file, path_beside) = file.keep()?;
    let beside = Unfinished::new(path_beside);
    sealed::write(&file, |to| {
        to.write_all(&(header.len() as u64).to_le_bytes())?;
        to.write_all(&header)?;
        Ok(happened.recording.write(to)?)
    })?;
    Ok(beside.finish(path)?)
}

/// Read a recording.
pub fn load(path: &Path) -> anyhow::Result<Happened> {
    Ok(read(sealed::open(path)?).map_err(|reason| sealed::damaged(path, &reason))?)
}

/// A recording from its content, or what is wrong with it in plain words.
fn read(mut from: impl Read) -> Result<Happened, String> {
    let mut length = [0; 8];
    from.read_exact(&mut length).map_err(|e| unreadable(&e))?;
    let length = u64::from_le_bytes(length);
    let mut header = vec![];
    from.by_ref().take(length).read_to_end(&mut header).map_err(|e| unreadable(&e))?;
    if (header.len() as u64) < length {
        return Err(sealed::CUT.into());
    }
    let header: Header = serde_json::from_slice(&header).map_err(|_| "the program in it cannot be read".to_string())?;
    if !wherefore_program::validate(&header.program).is_empty() {
        return Err("the program in it is not well formed".into());
    }
    let recording = Recording::read(from).map_err(|e| match e {
        RecordingError::Truncated { .. } => sealed::CUT.to_string(),
        RecordingError::Malformed { what } => what,
        RecordingError::Stream { source, .. } => unreadable(&source),
        RecordingError::NotARecording => "the run in it cannot be read".into(),
        RecordingError::Version { .. } => "the run in it was recorded by another version of wherefore".into(),
    })?;
    let bytes = |text: String| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    // What is not there is more than what is.
    let stdout = match header.stdout.map(bytes) {
        Some(kept) => Captured { bytes: kept.len() as u64, kept },
        None => Captured { bytes: u64::MAX, kept: vec![] },
    };
    Ok(Happened {
        stack: STACK,
        program: header.program,
        recording,
        stopped: match header.stopped {
            Ended::Exit(status) => Stopped::Exit(status),
            Ended::Signal(signal) => Stopped::Signal(signal),
            Ended::Limit => Stopped::Limit,
        },
        given: header.given.into_iter().map(|(name, value)| report::Input { name, value }).collect(),
        globals: header.globals,
        notes: header.notes,
        partial: header.partial,
        unended: header.unended.then_some(Unended::Long),
        stands_still: header.stands_still,
        output: header.output,
        stdout,
        stdin: header.stdin.map(bytes),
        kept: header.sources,
        times: (Duration::ZERO, Duration::ZERO),
    })
}

fn unreadable(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof { sealed::CUT.into() } else { error.to_string() }
}

/// A recording taken apart, for tests that put it together again otherwise.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The program and what is known of the run, as JSON.
    pub header: Vec<u8>,
    /// The words of the run with their tables.
    pub run: Vec<u8>,
}

impl Parts {
    /// The parts of a file; nothing where its content has none.
    pub fn of(file: &[u8]) -> Option<Parts> {
        let (length, content) = sealed::content(file).split_first_chunk()?;
        let (header, run) = content.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        Some(Parts { header: header.to_vec(), run: run.to_vec() })
    }

    /// A file of these parts, with the right checksum.
    pub fn sealed(&self) -> Vec<u8> {
        let length = (self.header.len() as u64).to_le_bytes();
        sealed::sealed(&[&length[..], &self.header, &self.run].concat())
    }
}
