//! Folders that come into being whole, or not at all.
//!
//! A folder is filled beside its place and renamed into it, under a lock that makes all who fill the
//! same one wait for each other. It goes the same way: renamed first, removed afterwards. Whoever is
//! killed in between leaves a folder with a name of its own, which the next one to come removes.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::{At, Error};

/// The exclusive right to make or remove one folder, given up on drop.
#[derive(Debug)]
pub(crate) struct Staging {
    place: PathBuf,
    stage: PathBuf,
    gone: PathBuf,
    /// The lock is on the open file, so it ends with it, however the process ends.
    _lock: File,
}

impl Staging {
    /// Waits for the right to the folder `name` in `parent`, and removes what others left behind.
    pub(crate) fn begin(parent: &Path, name: &str) -> Result<Self, Error> {
        fs::create_dir_all(parent).at("create", parent)?;
        // The file stays: who waits for a lock on a removed file would hold it beside another.
        let lock = parent.join(format!(".{name}.lock"));
        let file = File::create(&lock).at("create", &lock)?;
        file.lock().at("lock", &lock)?;
        // An installer may have outlived its builder and still write, so no stage has the name of an
        // earlier one.
        let process = std::process::id();
        let staging = Self {
            place: parent.join(name),
            stage: parent.join(format!(".{name}.stage.{process}")),
            gone: parent.join(format!(".{name}.gone.{process}")),
            _lock: file,
        };
        staging.sweep();
        Ok(staging)
    }

    /// Removes what others left behind. What cannot be removed yet is left to the next one.
    fn sweep(&self) {
        let beside = |ending: &str| self.place.with_file_name(format!(".{}.{ending}", self.name()));
        let (stages, gone) = (beside("stage."), beside("gone."));
        let begins = |path: &Path, with: &Path| {
            path.as_os_str().as_encoded_bytes().starts_with(with.as_os_str().as_encoded_bytes())
        };
        let entries = self.place.parent().map(fs::read_dir).and_then(Result::ok);
        for path in entries.into_iter().flatten().flatten().map(|entry| entry.path()) {
            if begins(&path, &stages) && fs::rename(&path, &self.gone).is_ok() {
                // From here on whoever still writes there finds nothing to go on with.
                fs::remove_dir_all(&self.gone).ok();
            } else if begins(&path, &gone) {
                fs::remove_dir_all(&path).ok();
            }
        }
    }

    fn name(&self) -> String {
        self.place.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The folder to fill, which does not exist yet.
    pub(crate) fn stage(&self) -> &Path {
        &self.stage
    }

    /// The folder as it is when it is complete.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// Puts the filled folder into its place, and gives that.
    pub(crate) fn finish(self) -> Result<PathBuf, Error> {
        self.discard()?;
        fs::rename(&self.stage, &self.place).at("create", &self.place)?;
        self.sweep();
        Ok(self.place.clone())
    }

    /// Removes what lies in the place, if anything.
    pub(crate) fn discard(&self) -> Result<(), Error> {
        match fs::rename(&self.place, &self.gone) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error).at("remove", &self.place),
            Ok(()) => fs::remove_dir_all(&self.gone).at("remove", &self.gone),
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // After `finish` there is none; after a failure what cannot be removed is swept later.
        fs::remove_dir_all(&self.stage).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_that_is_not_finished_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let staging = Staging::begin(parent.path(), "a").unwrap();
        fs::create_dir(staging.stage()).unwrap();
        fs::write(staging.stage().join("half"), "").unwrap();
        drop(staging);
        assert_eq!(names(parent.path()), [".a.lock"]);
    }

    #[test]
    fn a_finished_folder_takes_the_place_of_a_damaged_one() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir(parent.path().join("a")).unwrap();
        fs::write(parent.path().join("a/old"), "").unwrap();
        let staging = Staging::begin(parent.path(), "a").unwrap();
        fs::create_dir(staging.stage()).unwrap();
        fs::write(staging.stage().join("new"), "").unwrap();
        let place = staging.finish().unwrap();
        assert_eq!(names(&place), ["new"]);
        assert_eq!(names(parent.path()), [".a.lock", "a"]);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        for left in [".a.stage.7", ".a.gone.7", ".ab.stage.7", "ab"] {
            fs::create_dir(parent.path().join(left)).unwrap();
        }
        drop(Staging::begin(parent.path(), "a").unwrap());
        assert_eq!(names(parent.path()), [".a.lock", ".ab.stage.7", "ab"]);
    }

    #[test]
    fn the_second_to_come_waits_for_the_first() {
        let parent = tempfile::tempdir().unwrap();
        let first = Staging::begin(parent.path(), "a").unwrap();
        let folder = parent.path().to_owned();
        let second = std::thread::spawn(move || {
            Staging::begin(&folder, "a").map(|staging| staging.place().exists())
        });
        fs::create_dir(first.stage()).unwrap();
        first.finish().unwrap();
        assert!(second.join().unwrap().unwrap());
    }
}
