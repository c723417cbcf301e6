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
    /// Whether its untouched pages are those of a file; else they are zero.
    of_file: bool,
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
    let mut written = written_pages(mapping, pages)?;
    if !written.contains(&true) {
        return Ok(0);
    }
    if mapping.of_file {
        // What was not written is in the file; here it must be copied too.
        written.fill(true);
    }
    let count = written.iter().filter(|written| **written).count();
    let len = u64::try_from(mapping.len).map_err(io::Error::other)?;
    file.set_len(offset + len)?;
    for (index, _) in written.iter().enumerate().filter(|(_, written)| **written) {
        let at = mapping.start + index * PAGE;
        // SAFETY: the kernel listed this page as mapped readable, this is the only thread, and nothing
        // between listing and here unmaps; the kernel checks the range itself when it copies from
        // it. A page beyond the end of a mapped file, which none here has, would be a bus error.
        let page = unsafe { std::slice::from_raw_parts(at as *const u8, PAGE) };
        file.write_all_at(page, offset + u64::try_from(index * PAGE).map_err(io::Error::other)?)?;
    }
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    // SAFETY: the new mapping takes the place of one of the same length and protection and shows
    // the same bytes: written pages from the file, and zeroes where no page was ever written in
    // anonymous memory; of a mapping of a file every page was copied. So no reference into it sees a
    // change. This is the only thread, so nobody looks in between.
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
/// `/proc/pid/pagemap`: bit 63 is "present", 62 "swapped", 61 "still a page of the file".
fn written_pages(mapping: &Mapping, pages: &File) -> io::Result<Vec<bool>> {
    let mut entries = vec![0_u8; mapping.len / PAGE * 8];
    let at = u64::try_from(mapping.start / PAGE * 8).map_err(io::Error::other)?;
    pages.read_exact_at(&mut entries, at)?;
    Ok(entries.chunks_exact(8).map(|entry| entry[7] & 0xc0 != 0 && entry[7] & 0x20 == 0).collect())
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

/// The mappings that may be frozen: private readable memory that was written or can be, other than
/// the stack and what the kernel put there.
fn candidates(maps: &str) -> Vec<Mapping> {
    maps.lines().filter_map(parse).collect()
}

fn parse(line: &str) -> Option<Mapping> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let protection = match fields.next()? {
        "rw-p" => libc::PROT_READ | libc::PROT_WRITE,
        // Relocated addresses of a shared object, written once and then protected.
        "r--p" => libc::PROT_READ,
        _ => return None,
    };
    let of_file = fields.nth(2)? != "0";
    let name = fields.next().unwrap_or("");
    if name.starts_with('[') && name != "[heap]" && !name.starts_with("[anon") {
        return None;
    }
    let start = usize::from_str_radix(start, 16).ok()?;
    let len = usize::from_str_radix(end, 16).ok()?.checked_sub(start)?;
    Some(Mapping { start, len, protection, of_file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_memory_is_frozen_but_for_the_stack_and_the_kernels_own() {
        let maps = "\
55d0c000-55d0d000 r-xp 00000000 fd:00 131 /usr/bin/python3
55d0e000-55d10000 rw-p 00000000 00:00 0 [heap]
7f000000-7f002000 rw-p 00000000 00:00 0
7f100000-7f101000 rw-s 00000000 00:01 9 /dev/zero
7f200000-7f201000 rw-p 00001000 fd:00 132 /usr/lib/libz.so
7f300000-7f301000 r--p 00002000 fd:00 132 /usr/lib/libz.so
7ffb0000-7ffb4000 r--p 00000000 00:00 0 [vvar]
7ffc0000-7ffe0000 rw-p 00000000 00:00 0 [stack]";
        let rw = libc::PROT_READ | libc::PROT_WRITE;
        let mapping = |start, len, protection, of_file| Mapping { start, len, protection, of_file };
        assert_eq!(
            candidates(maps),
            [
                mapping(0x55d0_e000, 0x2000, rw, false),
                mapping(0x7f00_0000, 0x2000, rw, false),
                mapping(0x7f20_0000, 0x1000, rw, true),
                mapping(0x7f30_0000, 0x1000, libc::PROT_READ, true),
            ]
        );
    }
}
