//! The work folder of a run, from outside: putting files in and taking files out.
//!
//! Everything in it was named and made by the guest. So it is reached only from the descriptor of
//! its mount, with `openat2(2)` told to stay beneath it and to follow no link of any kind, and only
//! regular files are read, each no further than the limits allow. A file that changes meanwhile
//! gives what was read, and its size is what was read.

mod files;
mod snapshot;

use std::collections::HashMap;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use execute_python_protocol::{Artifact, Change, InputFile};
use execute_python_sandbox::plan::FIRST_GUEST_ID;
use execute_python_sys::process::FileOwner;
use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags};

use crate::delivery::Sink;
use crate::digest;
use crate::error::Error;

pub(crate) use snapshot::Snapshot;

/// The folder of the mount that the guest knows as its work folder.
const FOLDER: &str = "data";
/// The file of the mount that is the guest's standard input.
const STDIN: &str = "stdin";
/// How deep folders are walked.
const DEEPEST: usize = 32;
/// How many names are looked at in one walk beyond the files that the limits allow.
const NAMES_BEYOND: u64 = 1_000;

/// A run's work folder.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    mount: OwnedFd,
    /// The ids on the host of the guest and of the zygote, where they are not the engine's own.
    guest: Option<u32>,
    zygote: Option<u32>,
    /// The id of the guest as the inside numbers it.
    inside: u32,
    /// Inodes of the file system that are not the guest's.
    own_inodes: u64,
    /// Each file as it was before the run.
    known: Mutex<Known>,
}

/// Files by path, as they were at some moment.
pub(crate) type Known = HashMap<String, Seen>;

/// A file as it was seen at some moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    digest: [u8; 32],
    stamp: Stamp,
}

/// What the kernel changes when a file does: a file with the same stamp has the same content, unless it
/// was written through a mapping of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    changed: (i64, i64),
    size: i64,
}

impl Stamp {
    fn of(status: &rustix::fs::Stat) -> Stamp {
        #[expect(clippy::useless_conversion, reason = "the types differ between architectures")]
        let changed =
            (i64::from(status.st_ctime), i64::try_from(status.st_ctime_nsec).unwrap_or(0));
        Stamp { inode: status.st_ino, changed, size: status.st_size }
    }
}

/// How much may be taken out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// Bytes of all artifacts together.
    pub(crate) bytes: u64,
    /// Artifacts.
    pub(crate) files: u64,
}

/// What was taken out.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// The artifacts, by path.
    pub(crate) artifacts: Vec<Artifact>,
    /// What was left out, and why.
    pub(crate) notes: Vec<String>,
}

impl WorkFolder {
    /// The work folder in this mount.
    pub(crate) fn new(mount: OwnedFd, guest: Option<u32>, zygote: Option<u32>) -> Self {
        // What is there before the guest is not the guest's.
        let own_inodes = match rustix::fs::fstatvfs(&mount) {
            Ok(all) => all.f_files - all.f_ffree,
            Err(_) => 0,
        };
        let inside = guest.zip(zygote).map_or(FIRST_GUEST_ID, |(guest, zygote)| guest - zygote);
        Self { mount, guest, zygote, inside, own_inodes, known: Mutex::default() }
    }

    /// Whether guest and zygote have ids of their own on the host.
    pub(crate) fn has_own_ids(&self) -> bool {
        self.zygote.is_some()
    }

    /// The id of the guest as the inside numbers it.
    pub(crate) fn guest_inside(&self) -> u32 {
        self.inside
    }

    /// The work folder of a branch: all in it is the guest's.
    pub(crate) fn of_branch(&self, mount: OwnedFd) -> Self {
        Self { inside: self.inside, ..Self::new(mount, self.guest, self.guest) }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an input file in, in place of one that is there.
    pub(crate) fn put(&self, file: &InputFile) -> Result<(), Error> {
        let refuse = |reason: String| Error::InputFile { path: file.path.clone(), reason };
        let parts = parts(&file.path).map_err(|reason| refuse(reason.into()))?;
        let stamp = self.write(&parts, &file.content).map_err(|error| {
            refuse(match error.raw_os_error() {
                Some(code) if code == rustix::io::Errno::NOSPC.raw_os_error() => {
                    "does not fit into the work folder: raise `disk_bytes` or `files`".into()
                }
                _ => format!("could not be written: {error}"),
            })
        })?;
        self.known().insert(parts.join("/"), Seen { digest: digest::of(&file.content), stamp });
        Ok(())
    }

    fn write(&self, parts: &[&str], content: &[u8]) -> io::Result<Stamp> {
        let _owner = as_owner(self.guest)?;
        let mut folder = open(self.mount.as_fd(), FOLDER, OFlags::DIRECTORY)?;
        let Some((name, folders)) = parts.split_last() else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        for part in folders {
            match rustix::fs::mkdirat(&folder, *part, Mode::RWXU) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            folder = open(folder.as_fd(), part, OFlags::DIRECTORY)?;
        }
        match rustix::fs::unlinkat(&folder, *name, rustix::fs::AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let file = create(folder.as_fd(), name, content)?;
        Ok(Stamp::of(&rustix::fs::fstat(file)?))
    }

    /// Sets what the guest reads from its standard input.
    pub(crate) fn put_stdin(&self, text: &str) -> Result<(), Error> {
        let create = || {
            let _owner = as_owner(self.zygote)?;
            // The file is there already where something is mounted over it or of it.
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
            let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
            let opened = rustix::fs::openat2(&self.mount, STDIN, flags, mode, RESOLVE)?;
            File::from(opened).write_all(text.as_bytes())
        };
        create().map_err(|source| Error::System {
            doing: "write the standard input of the run (is it larger than `disk_bytes`?)",
            source,
        })
    }

    /// Bytes and files in it now: of the work folder and the temporary folders together.
    pub(crate) fn usage(&self) -> (u64, u64) {
        match rustix::fs::fstatvfs(&self.mount) {
            Ok(all) => (
                (all.f_blocks - all.f_bfree) * all.f_frsize,
                (all.f_files - all.f_ffree).saturating_sub(self.own_inodes),
            ),
            Err(_) => (0, 0),
        }
    }

    /// Whether nothing can be in it that is not an input file: a quick look.
    pub(crate) fn is_empty(&self) -> bool {
        self.known().is_empty() && self.usage().1 == 0
    }

    /// Takes out every regular file that is new or changed.
    pub(crate) fn collect(&self, budget: Budget, sink: &mut Sink) -> Collected {
        let mut walk = Walk {
            folder: self,
            budget,
            names_left: budget.files.saturating_add(NAMES_BEYOND),
            collected: Collected::default(),
            left_out: 0,
        };
        match open(self.mount.as_fd(), FOLDER, OFlags::DIRECTORY) {
            Ok(folder) => walk.folder(&folder, "", 0, sink),
            Err(error) => {
                walk.collected.notes.push(format!("the work folder is not readable: {error}"));
            }
        }
        if walk.left_out > 0 {
            walk.collected.notes.push(format!(
                "{} files or folders of the work folder were left out: beyond a limit, unreadable or no regular file",
                walk.left_out
            ));
        }
        walk.collected.artifacts.sort_by(|a, b| a.path.cmp(&b.path));
        walk.collected
    }
}

fn create(folder: BorrowedFd<'_>, name: &str, content: &[u8]) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
    let mut file = File::from(rustix::fs::openat2(folder, name, flags, mode, RESOLVE)?);
    file.write_all(content)?;
    Ok(file)
}

/// Makes files as this id of the host, where the engine is not the guest's user itself.
fn as_owner(id: Option<u32>) -> io::Result<Option<FileOwner>> {
    id.map(|id| FileOwner::become_this(id, id)).transpose()
}

fn open(at: BorrowedFd<'_>, name: &str, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    Ok(rustix::fs::openat2(at, name, flags, Mode::empty(), RESOLVE)?)
}

/// Beneath the folder, through no link and onto no other mount.
const RESOLVE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// The folders and the name of an input file's path.
fn parts(path: &str) -> Result<Vec<&str>, &'static str> {
    if path.is_empty() || path.ends_with('/') {
        return Err("has no name");
    }
    if path.starts_with('/') {
        return Err("must be relative to the work folder");
    }
    if path.contains('\0') {
        return Err("has a null byte in its name");
    }
    let parts: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return Err("must not leave the work folder");
    }
    if parts.len() > DEEPEST {
        return Err("is in too many folders");
    }
    if parts.iter().any(|part| part.len() > 255) {
        return Err("has a name of more than 255 bytes");
    }
    if parts.is_empty() { Err("has no name") } else { Ok(parts) }
}

/// One walk over a work folder.
struct Walk<'a> {
    folder: &'a WorkFolder,
    budget: Budget,
    names_left: u64,
    collected: Collected,
    left_out: u64,
}

impl Walk<'_> {
    /// Collects a folder whose path relative to the work folder is `path`.
    fn folder(&mut self, folder: &OwnedFd, path: &str, depth: usize, sink: &mut Sink) {
        let Ok(entries) = Dir::read_from(folder) else {
            self.left_out += 1;
            return;
        };
        for entry in entries {
            let Ok(entry) = entry else { break };
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            if self.names_left == 0 {
                self.left_out += 1;
                break;
            }
            self.names_left -= 1;
            if self.entry(folder, name, path, depth, sink).is_none() {
                self.left_out += 1;
            }
        }
    }

    /// Collects one entry; `None` if it is left out.
    fn entry(
        &mut self,
        folder: &OwnedFd,
        name: &CStr,
        path: &str,
        depth: usize,
        sink: &mut Sink,
    ) -> Option<()> {
        let shown = name.to_string_lossy();
        let path = if path.is_empty() { shown.into_owned() } else { format!("{path}/{shown}") };
        let kind = rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let open = |flags| rustix::fs::openat2(folder, name, flags, Mode::empty(), RESOLVE).ok();
        match FileType::from_raw_mode(kind.st_mode) {
            FileType::Directory if depth < DEEPEST => {
                let inner = open(flags | OFlags::DIRECTORY)?;
                self.folder(&inner, &path, depth + 1, sink);
                Some(())
            }
            FileType::RegularFile => self.file(open(flags)?, path, sink),
            _ => None,
        }
    }

    fn file(&mut self, file: OwnedFd, path: String, sink: &mut Sink) -> Option<()> {
        // What was looked at by name may be another thing by now: only this look counts.
        let status = rustix::fs::fstat(&file).ok()?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            return None;
        }
        let stamp = Stamp::of(&status);
        let before = self.folder.known().get(&path).copied();
        if before.is_some_and(|seen| seen.stamp == stamp) {
            return Some(());
        }
        let size = u64::try_from(status.st_size).ok()?;
        if size > self.budget.bytes || self.budget.files == 0 {
            return None;
        }
        let mut content = Vec::new();
        File::from(file).take(size).read_to_end(&mut content).ok()?;
        let digest = digest::of(&content);
        self.folder.known().insert(path.clone(), Seen { digest, stamp });
        let change = match before {
            Some(before) if before.digest == digest => return Some(()),
            Some(_) => Change::Modified,
            None => Change::Created,
        };
        self.budget.bytes -= content.len() as u64;
        self.budget.files -= 1;
        let sha256 = digest::hex(&digest);
        let bytes = content.len() as u64;
        let mime_type = mime_type(&path, &content);
        let content = match sink.take(&path, content) {
            Ok(inline) => inline,
            Err(error) => {
                self.collected.notes.push(format!("`{path}` could not be delivered: {error}"));
                return Some(());
            }
        };
        self.collected.artifacts.push(Artifact {
            path,
            bytes,
            mime_type,
            sha256,
            change,
            id: None,
            url: None,
            content,
        });
        Some(())
    }
}

/// The MIME type, by the first bytes where they tell, else by the name.
fn mime_type(path: &str, content: &[u8]) -> String {
    let by_name = mime_guess::from_path(path).first();
    // Office files are zip archives by their first bytes, and pictures can be text: there the name
    // knows more.
    let by_content = infer::get(content).map(|kind| kind.mime_type());
    match (by_content, by_name) {
        (Some(content), Some(_)) if !is_vague(content) => content.to_owned(),
        (_, Some(name)) => name.to_string(),
        (Some(content), None) => content.to_owned(),
        (None, None) if str::from_utf8(content).is_ok() => "text/plain".to_owned(),
        (None, None) => "application/octet-stream".to_owned(),
    }
}

/// Whether what the first bytes tell is less than what a name tells.
fn is_vague(kind: &str) -> bool {
    kind == "application/zip" || kind.starts_with("text/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leaves_the_work_folder_is_refused() {
        assert_eq!(parts("a/./b//c.csv"), Ok(vec!["a", "b", "c.csv"]));
        for (path, reason) in [
            ("", "has no name"),
            ("a/", "has no name"),
            (".", "has no name"),
            ("/etc/passwd", "must be relative to the work folder"),
            ("a/../../b", "must not leave the work folder"),
            ("a\0b", "has a null byte in its name"),
        ] {
            assert_eq!(parts(path), Err(reason), "{path:?}");
        }
    }

    #[test]
    fn the_type_of_a_file_is_told_from_its_bytes_and_its_name() {
        assert_eq!(mime_type("a.bin", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "image/png");
        assert_eq!(
            mime_type("a.xlsx", b"PK\x03\x04"),
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        );
        assert_eq!(mime_type("a.csv", b"1,2"), "text/csv");
        assert_eq!(mime_type("a.svg", b"<?xml version=\"1.0\"?><svg/>"), "image/svg+xml");
        assert_eq!(mime_type("notes", b"hello"), "text/plain");
    }

    /// A mount with a work folder in it, and a secret beside it.
    fn mounted() -> (tempfile::TempDir, WorkFolder, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("mount/data");
        std::fs::create_dir_all(&data).unwrap();
        std::fs::write(folder.path().join("secret"), "hunter2").unwrap();
        let mount = File::open(folder.path().join("mount")).unwrap();
        (folder, WorkFolder::new(OwnedFd::from(mount), None, None), data)
    }

    fn collected(folder: &WorkFolder, budget: Budget) -> Collected {
        folder.collect(budget, &mut Sink::new(crate::Delivery::Inline))
    }

    const PLENTY: Budget = Budget { bytes: 1 << 20, files: 100 };

    #[test]
    fn no_link_leads_the_walk_astray() {
        use std::os::unix::fs::symlink;
        let (outside, folder, data) = mounted();
        let secret = outside.path().join("secret");
        symlink(&secret, data.join("absolute")).unwrap();
        symlink("../../secret", data.join("relative")).unwrap();
        symlink(outside.path(), data.join("folder")).unwrap();
        symlink(".", data.join("loop")).unwrap();
        // The control: an ordinary walk reads the secret through each of the first two.
        assert_eq!(std::fs::read(data.join("absolute")).unwrap(), b"hunter2");
        assert_eq!(std::fs::read(data.join("relative")).unwrap(), b"hunter2");
        std::fs::write(data.join("own"), "mine").unwrap();
        let found = collected(&folder, PLENTY);
        let paths: Vec<_> = found.artifacts.iter().map(|a| a.path.as_str()).collect();
        assert_eq!(paths, ["own"]);
        assert!(found.notes[0].starts_with("4 files or folders"), "{:?}", found.notes);
    }

    #[test]
    fn what_is_no_regular_file_is_left_out_without_waiting() {
        let (_outside, folder, data) = mounted();
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, data.join("pipe"), fifo, Mode::RWXU, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(data.join("socket")).unwrap();
        assert_eq!(collected(&folder, PLENTY).artifacts, []);
    }

    #[test]
    fn sparse_files_and_many_files_stay_within_the_budget() {
        let (_outside, folder, data) = mounted();
        File::create(data.join("sparse")).unwrap().set_len(1 << 40).unwrap();
        for number in 0..300 {
            std::fs::write(data.join(number.to_string()), "x").unwrap();
        }
        let found = collected(&folder, PLENTY);
        assert_eq!(found.artifacts.len(), 100);
        assert!(found.notes[0].starts_with("201 files"), "{:?}", found.notes);
    }

    #[test]
    fn names_that_are_not_text_and_deep_folders_are_taken_as_they_are() {
        use std::os::unix::ffi::OsStrExt;
        let (_outside, folder, data) = mounted();
        std::fs::write(data.join(std::ffi::OsStr::from_bytes(b"bad\xff\n")), "x").unwrap();
        let deep: std::path::PathBuf = std::iter::repeat_n("d", DEEPEST + 5).collect();
        std::fs::create_dir_all(data.join(&deep)).unwrap();
        std::fs::write(data.join(deep).join("lost"), "x").unwrap();
        let found = collected(&folder, PLENTY);
        let paths: Vec<_> = found.artifacts.iter().map(|a| a.path.as_str()).collect();
        assert_eq!(paths, ["bad\u{fffd}\n"]);
    }
}
