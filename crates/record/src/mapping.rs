//! Memory mapped from a file or shared with a child process.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};

/// A mapping that is undone when it is dropped.
pub struct Mapping {
    address: NonNull<u8>,
    length: usize,
}

// SAFETY: the mapping belongs to this value alone and may be undone by any thread; shared access only reads, except
// through the raw pointer, whose users answer for it.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// The first `length` bytes of `file`, shared with others who map it; `length` is not 0, nor more than the file has.
    pub fn of_shared_file(file: &File, length: usize) -> io::Result<Mapping> {
        Mapping::new(length, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, file.as_raw_fd())
    }

    /// `length` zero bytes that child processes share; `length` is not 0.
    pub fn shared(length: usize) -> io::Result<Mapping> {
        Mapping::new(length, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1)
    }

    /// `length` zero bytes of our own; `length` is not 0.
    pub fn private(length: usize) -> io::Result<Mapping> {
        Mapping::new(length, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
    }

    fn new(length: usize, access: i32, flags: i32, file: i32) -> io::Result<Mapping> {
        // SAFETY: a new mapping at an address of the system's choice touches no memory in use.
        let address = unsafe { libc::mmap(ptr::null_mut(), length, access, flags, file, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let address = NonNull::new(address.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(Mapping { address, length })
    }

    /// Its start.
    pub fn pointer(&self) -> *mut u8 {
        self.address.as_ptr()
    }

    /// Its length in bytes.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Copies bytes into a mapping for writing.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset <= self.length && bytes.len() <= self.length - offset, "inside the mapping");
        // SAFETY: the bytes have room there; what others who map it do at the same time spoils no more than content.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.pointer().add(offset), bytes.len()) };
    }

    /// Makes bytes of a mapping for writing zero.
    pub fn clear(&self, offset: usize, length: usize) {
        assert!(offset <= self.length && length <= self.length - offset, "inside the mapping");
        // SAFETY: as above.
        unsafe { ptr::write_bytes(self.pointer().add(offset), 0, length) };
    }

    /// Copies words of 32 bits out of it.
    pub fn read_u32(&self, offset: usize, count: usize) -> Vec<u32> {
        assert!(offset <= self.length && count <= (self.length - offset) / 4, "inside the mapping");
        let mut words = vec![0u32; count];
        // SAFETY: so many bytes are there and have room; any bytes are a valid word.
        unsafe { ptr::copy_nonoverlapping(self.pointer().add(offset), words.as_mut_ptr().cast(), 4 * count) };
        words
    }

    /// Copies the word at an index out of it.
    pub fn read_word(&self, index: usize) -> u64 {
        let [low, high] = *self.read_u32(8 * index, 2) else {
            unreachable!("two words were read");
        };
        u64::from(low) | u64::from(high) << 32
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing borrowed from it outlives this value.
        let result = unsafe { libc::munmap(self.pointer().cast(), self.length) };
        debug_assert_eq!(result, 0, "a mapping of ours can be undone");
    }
}
