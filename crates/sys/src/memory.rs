//! Freezing the memory of a process so that forking it is cheap.
//!
//! `fork(2)` copies the page tables of every private mapping that has been written, and each child
//! tears its copy down again: for an interpreter with a hundred megabytes of packages that is most
//! of the cost of a worker. A private mapping of a file whose pages were never written has nothing
//! to copy: a child finds them in the file when it touches them. So the content of every written
//! mapping is moved into a file in memory and mapped back privately at the same address. The
//! program notices nothing.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::os::unix::fs::FileExt;

use rustix::fs::{Mode, OFlags};

use crate::descriptor::check;

const PAGE: usize = 4096;

/// What was frozen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Frozen {
    /// Mappings that were replaced.
    pub mappings: usize,
    /// Bytes that were moved into the file.
    pub bytes: usize,
}

/// One line of `/proc/self/maps`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mapping {
    start: usize,
    len: usize,
    protection: libc::c_int,
}

/// Moves the written private memory of the calling process into one file in memory.
///
/// `proc_self` is the process's own directory in `/proc`. The process must have one thread. The
/// stack is left alone, since only a mapping that grows down can be one.
pub fn freeze(proc_self: BorrowedFd<'_>) -> io::Result<Frozen> {
    let mappings = candidates(&read_maps(proc_self)?);
    let pages = open_at(proc_self, "pagemap")?;
    let name = c"zygote";
    // SAFETY: the name is a string that ends with a null byte.
    let number = check(unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) })?;
    // SAFETY: `memfd_create` has just made this descriptor, and nothing else has it.
    let file = unsafe { File::from_raw_fd(number) };
    let mut frozen = Frozen::default();
    let mut end_of_file = 0;
    for mapping in mappings {
        let bytes = freeze_one(&mapping, &pages, &file, end_of_file)?;
        end_of_file += u64::try_from(mapping.len).map_err(io::Error::other)?;
        frozen.mappings += usize::from(bytes > 0);
        frozen.bytes += bytes;
    }
    Ok(frozen)
}

/// Copies the written pages of a mapping to `offset` and maps them back. Gives the bytes copied; a
/// mapping of which no page was written stays as it is.
fn freeze_one(mapping: &Mapping, pages: &File, file: &File, offset: u64) -> io::Result<usize> {
    let written = written_pages(mapping, pages)?;
    let count = written.iter().filter(|written| **written).count();
    if count == 0 {
        return Ok(0);
    }
    let len = u64::try_from(mapping.len).map_err(io::Error::other)?;
    file.set_len(offset + len)?;
    for (index, _) in written.iter().enumerate().filter(|(_, written)| **written) {
        let at = mapping.start + index * PAGE;
        // SAFETY: the kernel listed this page as mapped readable and present, this is the only
        // thread, and nothing between listing and here unmaps; the kernel checks the range itself
        // when it copies from it.
        let page = unsafe { std::slice::from_raw_parts(at as *const u8, PAGE) };
        file.write_all_at(page, offset + u64::try_from(index * PAGE).map_err(io::Error::other)?)?;
    }
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    // SAFETY: the new mapping takes the place of one of the same length and protection and shows
    // the same bytes: written pages from the file, and zeroes where no page was ever written in
    // anonymous memory (mappings of files are taken only if every page of theirs was copied). So no
    // reference into it sees a change. This is the only thread, so nobody looks in between.
    let mapped = unsafe {
        libc::mmap(
            mapping.start as *mut libc::c_void,
            mapping.len,
            mapping.protection,
            libc::MAP_PRIVATE | libc::MAP_FIXED,
            file.as_raw_fd(),
            offset,
        )
    };
    if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(count * PAGE) }
}

/// For each page of a mapping, whether the process has a copy of its own in memory or in swap.
///
/// `/proc/pid/pagemap`: bit 63 is "present", 62 "swapped"; of an anonymous mapping these are the
/// pages that were touched.
fn written_pages(mapping: &Mapping, pages: &File) -> io::Result<Vec<bool>> {
    let mut entries = vec![0_u8; mapping.len / PAGE * 8];
    let at = u64::try_from(mapping.start / PAGE * 8).map_err(io::Error::other)?;
    pages.read_exact_at(&mut entries, at)?;
    Ok(entries.chunks_exact(8).map(|entry| entry[7] & 0b1100_0000 != 0).collect())
}

fn read_maps(proc_self: BorrowedFd<'_>) -> io::Result<String> {
    let mut text = String::new();
    open_at(proc_self, "maps")?.read_to_string(&mut text)?;
    Ok(text)
}

fn open_at(directory: BorrowedFd<'_>, name: &str) -> io::Result<File> {
    let fd = rustix::fs::openat(directory, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    Ok(File::from(fd))
}

/// The mappings to freeze: private, writable, anonymous memory other than the stack and what the
/// kernel put there.
fn candidates(maps: &str) -> Vec<Mapping> {
    maps.lines().filter_map(parse).collect()
}

fn parse(line: &str) -> Option<Mapping> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let permissions = fields.next()?;
    let inode = fields.nth(2)?;
    let name = fields.next().unwrap_or("");
    let anonymous = inode == "0" && (name.is_empty() || name == "[heap]" || name.starts_with("[anon"));
    if permissions != "rw-p" || !anonymous {
        return None;
    }
    let start = usize::from_str_radix(start, 16).ok()?;
    let len = usize::from_str_radix(end, 16).ok()?.checked_sub(start)?;
    Some(Mapping { start, len, protection: libc::PROT_READ | libc::PROT_WRITE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_private_writable_anonymous_memory_is_frozen() {
        let maps = "\
55d0c000-55d0d000 r-xp 00000000 fd:00 131 /usr/bin/python3
55d0e000-55d10000 rw-p 00000000 00:00 0 [heap]
7f000000-7f002000 rw-p 00000000 00:00 0
7f100000-7f101000 rw-s 00000000 00:01 9 /dev/zero
7f200000-7f201000 rw-p 00001000 fd:00 132 /usr/lib/libz.so
7ffc0000-7ffe0000 rw-p 00000000 00:00 0 [stack]";
        let rw = libc::PROT_READ | libc::PROT_WRITE;
        assert_eq!(
            candidates(maps),
            [
                Mapping { start: 0x55d0_e000, len: 0x2000, protection: rw },
                Mapping { start: 0x7f00_0000, len: 0x2000, protection: rw },
            ]
        );
    }
}
