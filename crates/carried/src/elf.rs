//! Sections of 64-bit little-endian ELF files, by name: found, and added at the end.

use crate::Damaged;
use std::ops::Range;

/// Bytes of the file's header and of the header of a section.
const HEADER: usize = 64;
const SECTION_HEADER: usize = 64;
/// In the file's header: where the section headers are, their size, their number, and which of them has the names.
const SHOFF: usize = 40;
const SHENTSIZE: usize = 58;
const SHNUM: usize = 60;
const SHSTRNDX: usize = 62;
/// Numbers from here on stand elsewhere, in the first section's header.
const RESERVED: u64 = 0xff00;
/// In a section's header.
const KIND: usize = 4;
const OFFSET: usize = 24;
const SIZE: usize = 32;
const LINK: usize = 40;
/// A section that takes no room in the file.
const NOBITS: u64 = 8;

/// A file's sections.
struct Sections {
    /// Where their headers are.
    start: usize,
    count: usize,
    /// Which of them has the names.
    names: usize,
}

/// The content of the first section of that name.
///
/// # Errors
/// When the file is not of this kind or its headers make no sense.
pub fn section<'a>(file: &'a [u8], name: &str) -> Result<Option<&'a [u8]>, Damaged> {
    let sections = Sections::of(file)?;
    for number in 0..sections.count {
        let header = sections.header(file, number)?;
        if sections.name(file, header)? == name.as_bytes() && number_at(header, KIND, 4)? != NOBITS {
            return Ok(Some(content(file, header)?));
        }
    }
    Ok(None)
}

/// Adds a section that nothing loads, whatever kind of file it is: its content, the names with one more, and the headers with one
/// more go to the end; nothing that is in the file moves.
///
/// # Errors
/// When the file is not of this kind or its headers make no sense.
pub fn append(file: &mut Vec<u8>, name: &str, content_added: &[u8]) -> Result<(), Damaged> {
    let sections = Sections::of(file)?;
    let mut headers = file[range(sections.start, sections.count * SECTION_HEADER, file.len())?].to_vec();
    let old_names = sections.header(file, sections.names)?;
    let mut names = content(file, old_names)?.to_vec();
    let name_at = names.len();
    names.extend(name.as_bytes());
    names.push(0);

    pad(file, 16);
    let content_at = file.len();
    file.extend(content_added);
    pad(file, 16);
    let names_at = file.len();
    file.extend(&names);
    pad(file, 16);
    let headers_at = file.len();

    put(&mut headers, sections.names * SECTION_HEADER + OFFSET, 8, names_at as u64);
    put(&mut headers, sections.names * SECTION_HEADER + SIZE, 8, names.len() as u64);
    // Bytes of the program's own (1), no flags, aligned so that the linker leaves no gap between two.
    let mut added = vec![0; SECTION_HEADER];
    put(&mut added, 0, 4, name_at as u64);
    put(&mut added, KIND, 4, 1);
    put(&mut added, OFFSET, 8, content_at as u64);
    put(&mut added, SIZE, 8, content_added.len() as u64);
    put(&mut added, 48, 8, 8);
    headers.extend(added);
    let count = sections.count as u64 + 1;
    if count < RESERVED {
        put(file, SHNUM, 2, count);
    } else {
        put(file, SHNUM, 2, 0);
        put(&mut headers, SIZE, 8, count);
    }
    put(file, SHOFF, 8, headers_at as u64);
    file.extend(headers);
    Ok(())
}

impl Sections {
    fn of(file: &[u8]) -> Result<Sections, Damaged> {
        // Of 64 bits, the lower byte first.
        if file.len() < HEADER || file[..6] != *b"\x7fELF\x02\x01" {
            return Err(Damaged("not a 64-bit ELF file"));
        }
        let start = number_at(file, SHOFF, 8)? as usize;
        if start == 0 {
            return Err(Damaged("it has no sections"));
        }
        if number_at(file, SHENTSIZE, 2)? as usize != SECTION_HEADER {
            return Err(Damaged("its section headers have another size"));
        }
        let first = &file[range(start, SECTION_HEADER, file.len())?];
        let elsewhere =
            |number, at, size| if number == 0 || number == 0xffff { number_at(first, at, size) } else { Ok(number) };
        let count = elsewhere(number_at(file, SHNUM, 2)?, SIZE, 8)? as usize;
        let names = elsewhere(number_at(file, SHSTRNDX, 2)?, LINK, 4)? as usize;
        if count > file.len() / SECTION_HEADER || names >= count {
            return Err(Damaged("its section headers make no sense"));
        }
        Ok(Sections { start, count, names })
    }

    fn header<'a>(&self, file: &'a [u8], number: usize) -> Result<&'a [u8], Damaged> {
        let at = self.start.checked_add(number * SECTION_HEADER).ok_or(OUTSIDE)?;
        Ok(&file[range(at, SECTION_HEADER, file.len())?])
    }

    fn name<'a>(&self, file: &'a [u8], header: &[u8]) -> Result<&'a [u8], Damaged> {
        let names = content(file, self.header(file, self.names)?)?;
        let name = names.get(number_at(header, 0, 4)? as usize..).ok_or(OUTSIDE)?;
        Ok(name.split(|byte| *byte == 0).next().unwrap_or_default())
    }
}

const OUTSIDE: Damaged = Damaged("a part of it lies outside of the file");

fn content<'a>(file: &'a [u8], header: &[u8]) -> Result<&'a [u8], Damaged> {
    Ok(&file[range(number_at(header, OFFSET, 8)? as usize, number_at(header, SIZE, 8)? as usize, file.len())?])
}

fn range(start: usize, length: usize, within: usize) -> Result<Range<usize>, Damaged> {
    let end = start.checked_add(length).filter(|end| *end <= within).ok_or(OUTSIDE)?;
    Ok(start..end)
}

fn number_at(bytes: &[u8], at: usize, size: usize) -> Result<u64, Damaged> {
    let mut number = [0; 8];
    number[..size].copy_from_slice(&bytes[range(at, size, bytes.len())?]);
    Ok(u64::from_le_bytes(number))
}

fn put(bytes: &mut [u8], at: usize, size: usize, number: u64) {
    bytes[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
}

fn pad(bytes: &mut Vec<u8>, unit: usize) {
    bytes.resize(bytes.len().next_multiple_of(unit), 0);
}

#[cfg(test)]
mod tests;
