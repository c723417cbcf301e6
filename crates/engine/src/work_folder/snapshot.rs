//! A work folder as it was at some moment, to be set back to it.
//!
//! Content is kept once: a file that has not changed since the snapshot before shares its content with
//! it. Setting back writes into the files that are there, so that a file which the session has open
//! stays the same file.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Timespec, Timestamps};

use super::{DEEPEST, Known, NAMES_BEYOND, RESOLVE, Stamp, WorkFolder, as_owner};

/// The folders of the mount that belong to the guest.
const FOLDERS: [&CStr; 4] = [c"data", c"tmp", c"home", c"shm"];

/// A work folder as it was.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    entries: BTreeMap<Vec<u8>, Entry>,
    known: Known,
}

#[derive(Debug, Clone)]
struct Entry {
    stamp: Stamp,
    mode: Mode,
    modified: (i64, i64),
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Folder,
    File(Arc<Vec<u8>>),
    Link(CString),
}

impl WorkFolder {
    /// Takes a snapshot; `before` is one from which unchanged content is shared.
    pub(crate) fn snapshot(&self, before: &Snapshot) -> Snapshot {
        let mut snapshot = Snapshot { entries: BTreeMap::new(), known: self.known().clone() };
        if self.usage().1 == 0 {
            return snapshot;
        }
        let names_left = self.usage().1.saturating_add(NAMES_BEYOND);
        let mut walk = Walk { before, entries: &mut snapshot.entries, names_left };
        for name in FOLDERS {
            if let Ok(folder) = open(&self.mount, name, OFlags::DIRECTORY) {
                walk.folder(&folder, name.to_bytes(), 0);
            }
        }
        snapshot
    }

    /// Sets the folder back to a snapshot. No process of the guest may run meanwhile.
    pub(crate) fn set_back(&self, to: &Snapshot) -> io::Result<()> {
        let now = self.snapshot(to);
        let _owner = as_owner(self.guest)?;
        // What is too much, the deepest first.
        for (path, entry) in now.entries.iter().rev() {
            if to.entries.get(path).is_none_or(|wanted| !wanted.is_like(entry)) {
                let (folder, name) = self.place(path)?;
                let flags = match entry.kind {
                    Kind::Folder => AtFlags::REMOVEDIR,
                    _ => AtFlags::empty(),
                };
                rustix::fs::unlinkat(folder, &*name, flags).ok();
            }
        }
        for (path, wanted) in &to.entries {
            let same = now.entries.get(path).filter(|entry| wanted.is_like(entry));
            if same.is_none_or(|entry| entry.stamp != wanted.stamp) {
                self.make(path, wanted)?;
            }
        }
        self.known().clone_from(&to.known);
        self.see_anew(to);
        Ok(())
    }

    /// The stamps of files that were written anew are other ones now.
    fn see_anew(&self, snapshot: &Snapshot) {
        let mut known = self.known();
        for path in snapshot.entries.keys() {
            let Some(own) = path.strip_prefix(b"data/") else { continue };
            let own = String::from_utf8_lossy(own).into_owned();
            if let Some(seen) = known.get_mut(&own)
                && let Ok((folder, name)) = self.place(path)
                && let Ok(status) = rustix::fs::statat(folder, &*name, AtFlags::SYMLINK_NOFOLLOW)
            {
                seen.stamp = Stamp::of(&status);
            }
        }
    }

    fn make(&self, path: &[u8], wanted: &Entry) -> io::Result<()> {
        let (folder, name) = self.place(path)?;
        match &wanted.kind {
            Kind::Folder => match rustix::fs::mkdirat(&folder, &*name, Mode::RWXU) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            },
            Kind::Link(target) => {
                rustix::fs::unlinkat(&folder, &*name, AtFlags::empty()).ok();
                rustix::fs::symlinkat(target, &folder, &*name)?;
                return Ok(());
            }
            Kind::File(content) => {
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
                let mode = Mode::RUSR | Mode::WUSR;
                let file = rustix::fs::openat2(&folder, &*name, flags, mode, RESOLVE)?;
                rustix::fs::ftruncate(&file, 0)?;
                File::from(file).write_all(content)?;
            }
        }
        rustix::fs::chmodat(&folder, &*name, wanted.mode, AtFlags::empty())?;
        let time = Timespec { tv_sec: wanted.modified.0, tv_nsec: wanted.modified.1 };
        let times = Timestamps { last_access: time, last_modification: time };
        rustix::fs::utimensat(&folder, &*name, &times, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(())
    }

    /// The folder of a path, and the name in it.
    fn place(&self, path: &[u8]) -> io::Result<(OwnedFd, CString)> {
        let mut parts = path.split(|byte| *byte == b'/').peekable();
        let mut folder = rustix::io::fcntl_dupfd_cloexec(&self.mount, 0)?;
        loop {
            let name = CString::new(parts.next().unwrap_or_default())?;
            if parts.peek().is_none() {
                return Ok((folder, name));
            }
            folder = open(&folder, &name, OFlags::DIRECTORY)?;
        }
    }
}

impl Snapshot {
    /// Paths of the work folder that are other than in `before`: added, removed, changed.
    pub(crate) fn changes(&self, before: &Snapshot) -> [Vec<String>; 3] {
        let shown = |path: &[u8]| {
            let own = path.strip_prefix(b"data/")?;
            Some(String::from_utf8_lossy(own).into_owned())
        };
        let files = |snapshot: &Snapshot| -> BTreeMap<String, (Stamp, Arc<Vec<u8>>)> {
            let file = |(path, entry): (&Vec<u8>, &Entry)| match &entry.kind {
                Kind::File(content) => Some((shown(path)?, (entry.stamp, Arc::clone(content)))),
                _ => None,
            };
            snapshot.entries.iter().filter_map(file).collect()
        };
        let (now, then) = (files(self), files(before));
        let missing_in = |one: &BTreeMap<String, _>, other: &BTreeMap<String, _>| -> Vec<String> {
            one.keys().filter(|path| !other.contains_key(*path)).cloned().collect()
        };
        let changed = now
            .iter()
            .filter(|(path, (stamp, content))| {
                then.get(*path).is_some_and(|(old, kept)| old != stamp && kept != content)
            })
            .map(|(path, _)| path.clone())
            .collect();
        [missing_in(&now, &then), missing_in(&then, &now), changed]
    }
}

impl Entry {
    /// Whether both are the same kind of thing.
    fn is_like(&self, other: &Entry) -> bool {
        std::mem::discriminant(&self.kind) == std::mem::discriminant(&other.kind)
    }
}

struct Walk<'a> {
    before: &'a Snapshot,
    entries: &'a mut BTreeMap<Vec<u8>, Entry>,
    names_left: u64,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &OwnedFd, path: &[u8], depth: usize) {
        for entry in Dir::read_from(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            if self.names_left == 0 {
                return;
            }
            self.names_left -= 1;
            let path = [path, b"/", name.to_bytes()].concat();
            // What cannot be read cannot be set back.
            drop(self.entry(folder, name, &path, depth));
        }
    }

    fn entry(
        &mut self,
        folder: &OwnedFd,
        name: &CStr,
        path: &[u8],
        depth: usize,
    ) -> io::Result<()> {
        let status = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let stamp = Stamp::of(&status);
        let kind = match FileType::from_raw_mode(status.st_mode) {
            FileType::Directory if depth < DEEPEST => Kind::Folder,
            FileType::RegularFile => Kind::File(self.content(folder, name, path, stamp)?),
            FileType::Symlink => Kind::Link(rustix::fs::readlinkat(folder, name, Vec::new())?),
            _ => return Ok(()),
        };
        let is_folder = matches!(kind, Kind::Folder);
        #[expect(clippy::useless_conversion, reason = "the types differ between architectures")]
        let modified =
            (i64::from(status.st_mtime), i64::try_from(status.st_mtime_nsec).unwrap_or(0));
        let mode = Mode::from_raw_mode(status.st_mode);
        self.entries.insert(path.to_vec(), Entry { stamp, mode, modified, kind });
        if is_folder {
            self.folder(&open(folder, name, OFlags::DIRECTORY)?, path, depth + 1);
        }
        Ok(())
    }

    fn content(
        &self,
        folder: &OwnedFd,
        name: &CStr,
        path: &[u8],
        stamp: Stamp,
    ) -> io::Result<Arc<Vec<u8>>> {
        if let Some(Entry { stamp: before, kind: Kind::File(content), .. }) =
            self.before.entries.get(path)
            && *before == stamp
        {
            return Ok(Arc::clone(content));
        }
        let file = open(folder, name, OFlags::empty())?;
        let mut content = Vec::new();
        File::from(file).take(u64::try_from(stamp.size).unwrap_or(0)).read_to_end(&mut content)?;
        Ok(Arc::new(content))
    }
}

fn open(at: &OwnedFd, name: &CStr, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    Ok(rustix::fs::openat2(at.as_fd(), name, flags, Mode::empty(), RESOLVE)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, WorkFolder) {
        let dir = tempfile::tempdir().unwrap();
        for name in FOLDERS {
            std::fs::create_dir(dir.path().join(name.to_str().unwrap())).unwrap();
        }
        let mount = File::open(dir.path()).unwrap();
        let folder = WorkFolder::new(OwnedFd::from(mount), None, None);
        (dir, folder)
    }

    #[test]
    fn a_folder_is_set_back_to_what_it_was() {
        let (dir, folder) = folder();
        let data = dir.path().join("data");
        std::fs::write(data.join("kept"), "1").unwrap();
        std::fs::write(data.join("changed"), "old").unwrap();
        std::fs::write(data.join("removed"), "back").unwrap();
        std::fs::create_dir(data.join("d")).unwrap();
        std::os::unix::fs::symlink("kept", data.join("d/link")).unwrap();
        let before = folder.snapshot(&Snapshot::default());
        let open = File::open(data.join("changed")).unwrap();
        std::fs::write(data.join("changed"), "new and longer").unwrap();
        std::fs::remove_file(data.join("removed")).unwrap();
        std::fs::remove_dir_all(data.join("d")).unwrap();
        std::fs::write(data.join("d"), "a file now").unwrap();
        std::fs::write(data.join("added"), "x").unwrap();
        let now = folder.snapshot(&before);
        assert_eq!(
            now.changes(&before).map(|paths| paths.join(" ")),
            ["added d", "removed", "changed"]
        );
        folder.set_back(&before).unwrap();
        let after = folder.snapshot(&before);
        let names: Vec<_> = after.entries.keys().map(|p| String::from_utf8_lossy(p)).collect();
        assert_eq!(names, ["data/changed", "data/d", "data/d/link", "data/kept", "data/removed"]);
        assert_eq!(std::fs::read_to_string(data.join("removed")).unwrap(), "back");
        assert_eq!(std::fs::read_link(data.join("d/link")).unwrap().to_str(), Some("kept"));
        // The file that was open is the same file.
        assert_eq!(io::read_to_string(open).unwrap(), "old");
    }

    #[test]
    fn what_has_not_changed_is_kept_once() {
        let (dir, folder) = folder();
        std::fs::write(dir.path().join("data/a"), "1").unwrap();
        let one = folder.snapshot(&Snapshot::default());
        let two = folder.snapshot(&one);
        let content = |snapshot: &Snapshot| match &snapshot.entries[&b"data/a"[..]].kind {
            Kind::File(content) => Arc::clone(content),
            _ => unreachable!(),
        };
        assert!(Arc::ptr_eq(&content(&one), &content(&two)));
    }
}
