//! Single files of a work folder that goes on: listed, read and removed from outside.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};

use execute_python_protocol::FileInfo;
use rustix::fs::{AtFlags, Dir, FileType, OFlags};

use super::{DEEPEST, FOLDER, NAMES_BEYOND, WorkFolder, as_owner, open, parts};
use crate::error::Error;

impl WorkFolder {
    /// The content of a file.
    pub(crate) fn get(&self, path: &str) -> Result<Vec<u8>, Error> {
        let missing = || Error::UnknownFile { path: path.to_owned() };
        let (folder, name) = self.folder_of(path)?;
        let file = open(folder.as_fd(), &name, OFlags::empty()).ok().ok_or_else(missing)?;
        let status = rustix::fs::fstat(&file).ok().ok_or_else(missing)?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            return Err(missing());
        }
        let size = u64::try_from(status.st_size).unwrap_or(0);
        let mut content = Vec::new();
        File::from(file)
            .take(size)
            .read_to_end(&mut content)
            .map_err(|source| Error::System { doing: "read a file of the work folder", source })?;
        Ok(content)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, path: &str) -> Result<(), Error> {
        let (folder, name) = self.folder_of(path)?;
        let removed = as_owner(self.guest)
            .map_err(|source| Error::System { doing: "act as the owner of the files", source })
            .map(|_owner| rustix::fs::unlinkat(&folder, &*name, AtFlags::empty()))?;
        self.known().remove(path);
        removed.ok().ok_or_else(|| Error::UnknownFile { path: path.to_owned() })
    }

    /// Every regular file, by path.
    pub(crate) fn list(&self) -> Vec<FileInfo> {
        let mut found = Vec::new();
        let mut names_left = self.usage().1.saturating_add(NAMES_BEYOND);
        if let Ok(folder) = open(self.mount.as_fd(), FOLDER, OFlags::DIRECTORY) {
            list(&folder, "", 0, &mut names_left, &mut found);
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// The folder that a path names a file in, and the file's name.
    fn folder_of(&self, path: &str) -> Result<(OwnedFd, String), Error> {
        let refuse =
            |reason: &str| Error::InputFile { path: path.to_owned(), reason: reason.to_owned() };
        let parts = parts(path).map_err(refuse)?;
        let missing = || Error::UnknownFile { path: path.to_owned() };
        let mut folder =
            open(self.mount.as_fd(), FOLDER, OFlags::DIRECTORY).ok().ok_or_else(missing)?;
        let Some((name, folders)) = parts.split_last() else { return Err(refuse("has no name")) };
        for part in folders {
            folder = open(folder.as_fd(), part, OFlags::DIRECTORY).ok().ok_or_else(missing)?;
        }
        Ok((folder, (*name).to_owned()))
    }
}

fn list(
    folder: &OwnedFd,
    path: &str,
    depth: usize,
    names_left: &mut u64,
    found: &mut Vec<FileInfo>,
) {
    for entry in Dir::read_from(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        if *names_left == 0 {
            return;
        }
        *names_left -= 1;
        let Ok(status) = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
            continue;
        };
        let shown = name.to_string_lossy();
        let path = if path.is_empty() { shown.into_owned() } else { format!("{path}/{shown}") };
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Directory if depth < DEEPEST => {
                let name = name.to_string_lossy();
                if let Ok(inner) = open(folder.as_fd(), &name, OFlags::DIRECTORY) {
                    list(&inner, &path, depth + 1, names_left, found);
                }
            }
            FileType::RegularFile => found.push(info(path, &status)),
            _ => {}
        }
    }
}

fn info(path: String, status: &rustix::fs::Stat) -> FileInfo {
    let modified =
        jiff::Timestamp::from_second(status.st_mtime).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let mime_type = mime_guess::from_path(&path).first_or_octet_stream().to_string();
    FileInfo {
        mime_type,
        bytes: u64::try_from(status.st_size).unwrap_or(0),
        modified_at: modified.to_string(),
        path,
    }
}
