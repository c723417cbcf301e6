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
    let anonymous =
        inode == "0" && (name.is_empty() || name == "[heap]" || name.starts_with("[anon"));
    if permissions != "rw-p" || !anonymous {
        return None;
    }
    let start = usize::from_str_radix(start, 16).ok()?;
    let len = usize::from_str_radix(end, 16).ok()?.checked_sub(start)?;
    Some(Mapping { start, len, protection: libc::PROT_READ | libc::PROT_WRITE })
}

/// Pages of memory that follow each other, and what a process did to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    start: usize,
    len: usize,
    written: bool,
}

/// The most runs that are kept.
const MOST_RUNS: usize = 4096;
/// How many untouched pages may lie between two read ones of a run.
const READ_GAP: usize = 16;

/// The pages that a fork of this process touches on its way, learnt from one fork that went it.
///
/// Each page costs a fault when it is touched. Told of all beforehand, the kernel takes them in
/// batches, at about half the cost (`MADV_POPULATE_WRITE`, Linux 5.14).
#[derive(Debug)]
pub struct HotSet {
    runs: Vec<Run>,
}

impl HotSet {
    /// A set of no pages.
    pub fn empty() -> Self {
        Self { runs: Vec::new() }
    }

    /// Forks the calling process, has the fork go its way, and learns which pages of private
    /// mappings of files it touched. `own_proc` opens the folder of the calling process in `/proc`,
    /// whichever process calls it.
    pub fn learn(
        way: impl FnOnce(),
        own_proc: impl Fn() -> io::Result<std::os::fd::OwnedFd>,
    ) -> io::Result<Self> {
        let (mut from, mut to) = io::pipe()?;
        match crate::process::fork()? {
            crate::process::Fork::Child => {
                way();
                let told = own_proc().and_then(|own| touched(std::os::fd::AsFd::as_fd(&own)));
                for run in told.unwrap_or_default() {
                    let line = format!("{} {} {}\n", run.start, run.len, u8::from(run.written));
                    // A set that is cut off is a smaller set.
                    drop(io::Write::write_all(&mut to, line.as_bytes()));
                }
                crate::process::exit_now(0)
            }
            crate::process::Fork::Parent { child } => {
                drop(to);
                let mut text = String::new();
                from.read_to_string(&mut text)?;
                crate::process::wait_for(child)?;
                Ok(Self { runs: text.lines().filter_map(parse_run).take(MOST_RUNS).collect() })
            }
        }
    }

    /// Has the kernel bring all pages of the set in. What it cannot bring in comes when it is touched.
    pub fn bring_in(&self) {
        for run in &self.runs {
            let advice =
                if run.written { libc::MADV_POPULATE_WRITE } else { libc::MADV_POPULATE_READ };
            // SAFETY: this advice changes no content: it does beforehand what touching the pages
            // would do. A range that is not mapped or may not be written gives an error.
            unsafe { libc::madvise(run.start as *mut libc::c_void, run.len, advice) };
        }
    }
}

fn parse_run(line: &str) -> Option<Run> {
    let mut words = line.split(' ');
    let mut number = || words.next()?.parse::<usize>().ok();
    Some(Run { start: number()?, len: number()?, written: number()? == 1 })
}

/// The runs of pages that the calling process has in its page table, of private mappings of files.
fn touched(proc_self: BorrowedFd<'_>) -> io::Result<Vec<Run>> {
    let pages = open_at(proc_self, "pagemap")?;
    let mut runs = Vec::new();
    for line in read_maps(proc_self)?.lines() {
        let Some((start, len, writable)) = private_file(line) else { continue };
        let mut entries = vec![0_u8; len / PAGE * 8];
        let at = u64::try_from(start / PAGE * 8).map_err(io::Error::other)?;
        pages.read_exact_at(&mut entries, at)?;
        for (index, entry) in entries.chunks_exact(8).enumerate() {
            // Bit 63: present; bit 61: still a page of the file (`/proc/pid/pagemap`).
            let (present, of_file) = (entry[7] & 0x80 != 0, entry[7] & 0x20 != 0);
            if present && (of_file || writable) {
                add_page(&mut runs, start + index * PAGE, !of_file);
            }
        }
    }
    Ok(runs)
}

/// Adds a page to the last run, if it follows it closely enough.
fn add_page(runs: &mut Vec<Run>, at: usize, written: bool) {
    let gap = if written { 0 } else { READ_GAP * PAGE };
    match runs.last_mut() {
        Some(last) if last.written == written && at - (last.start + last.len) <= gap => {
            last.len = at + PAGE - last.start;
        }
        _ => runs.push(Run { start: at, len: PAGE, written }),
    }
}

/// Start, length and whether it may be written, of a private mapping of a file.
fn private_file(line: &str) -> Option<(usize, usize, bool)> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let permissions = fields.next()?;
    let inode = fields.nth(2)?;
    if !permissions.starts_with('r') || !permissions.ends_with('p') || inode == "0" {
        return None;
    }
    let start = usize::from_str_radix(start, 16).ok()?;
    let len = usize::from_str_radix(end, 16).ok()?.checked_sub(start)?;
    Some((start, len, permissions.as_bytes().get(1) == Some(&b'w')))
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
        assert_eq!(private_file(maps.lines().nth(4).unwrap()), Some((0x7f20_0000, 0x1000, true)));
        assert_eq!(private_file(maps.lines().nth(3).unwrap()), None);
        assert_eq!(
            candidates(maps),
            [
                Mapping { start: 0x55d0_e000, len: 0x2000, protection: rw },
                Mapping { start: 0x7f00_0000, len: 0x2000, protection: rw },
            ]
        );
    }
}
