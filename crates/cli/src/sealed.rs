//! A file that says by itself whether it is whole and ours: a name with a version, the program model it was written
//! for, the length of what follows and its checksum.

use crate::UsageError;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use wherefore_program::MODEL;
use wherefore_record::Checksum;

/// How every recording begins, whatever its version.
const NAME: &[u8; 14] = b"wherefore run ";
/// The version of the file, which follows.
const VERSION: &[u8; 2] = b"2\n";
/// Bytes before the content: name, version, model, length, checksum.
const START: usize = NAME.len() + VERSION.len() + 3 * 8;

/// Whether a file is a recording, of any version.
pub fn is_one(path: &Path) -> bool {
    let mut start = [0; NAME.len()];
    File::open(path).and_then(|mut f| f.read_exact(&mut start)).is_ok() && start == *NAME
}

/// Writes a file whose content somebody else writes.
pub fn write(file: &File, content: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut to = Summing { to: BufWriter::new(file), sum: Checksum::default() };
    to.to.write_all(&[0; START])?;
    content(&mut to)?;
    to.to.flush()?;
    let sum = to.sum;
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&start(&sum))?;
    Ok(())
}

/// The whole file with some content.
pub fn sealed(content: &[u8]) -> Vec<u8> {
    let mut sum = Checksum::default();
    // A checksum takes any bytes.
    let _ = sum.write_all(content);
    [&start(&sum)[..], content].concat()
}

/// What stands between the start of a file and its end.
pub fn content(file: &[u8]) -> &[u8] {
    file.get(START..).unwrap_or(&[])
}

/// Opens a file for reading its content, once all of it has been seen to be whole.
///
/// # Errors
/// When it is damaged, cut short, or of another version.
pub fn open(path: &Path) -> Result<impl Read + use<>, UsageError> {
    let unreadable = |e: io::Error| UsageError(format!("{}: {e}", path.display()));
    let mut file = File::open(path).map_err(unreadable)?;
    let mut start = [0; START];
    match file.read_exact(&mut start) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Err(damaged(path, CUT)),
        read => read.map_err(unreadable)?,
    }
    let (name, numbers) = start.split_at(NAME.len() + VERSION.len());
    let number = |n: usize| u64::from_le_bytes(numbers[8 * n..][..8].try_into().expect("eight bytes"));
    if &name[NAME.len()..] != VERSION || number(0) != MODEL {
        let what = "this recording was made by another version of wherefore; record the run again";
        return Err(UsageError(format!("{}: {what}", path.display())));
    }
    let mut sum = Checksum::default();
    io::copy(&mut file, &mut sum).map_err(unreadable)?;
    if sum.length() < number(1) {
        return Err(damaged(path, CUT));
    }
    if sum.length() > number(1) {
        return Err(damaged(path, "something follows its end"));
    }
    if sum.value() != number(2) {
        return Err(damaged(path, "its content does not fit its checksum"));
    }
    file.seek(SeekFrom::Start(START as u64)).map_err(unreadable)?;
    Ok(BufReader::with_capacity(1 << 16, file))
}

/// The error for a recording that says what cannot be.
pub fn damaged(path: &Path, reason: &str) -> UsageError {
    UsageError(format!("{}: this recording is damaged: {reason}", path.display()))
}

/// A file that ends too early.
pub const CUT: &str = "it is cut short";

fn start(sum: &Checksum) -> Vec<u8> {
    let numbers = [MODEL, sum.length(), sum.value()].map(u64::to_le_bytes);
    [&NAME[..], VERSION, numbers.as_flattened()].concat()
}

/// Sums what it hands on.
struct Summing<W> {
    to: W,
    sum: Checksum,
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sum.write_all(&bytes[..written])?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
