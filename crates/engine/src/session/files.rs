//! The work folder of a session from outside, at any time.

use std::sync::{Arc, PoisonError};

use execute_python_protocol::{FileInfo, InputFile};

use super::Session;
use super::den::FileChange;
use crate::error::Error;

impl Session {
    /// Puts a file into the work folder, at any time.
    pub fn put_file(&self, file: &InputFile) -> Result<(), Error> {
        self.must_be_open()?;
        self.work_folder().put(file)?;
        self.note(FileChange::Put(file.clone()));
        Ok(())
    }

    /// The content of a file of the work folder, at any time.
    pub fn get_file(&self, path: &str) -> Result<Vec<u8>, Error> {
        self.must_be_open()?;
        self.work_folder().get(path)
    }

    /// The files of the work folder, at any time.
    pub fn files(&self) -> Result<Vec<FileInfo>, Error> {
        self.must_be_open()?;
        Ok(self.work_folder().list())
    }

    /// Removes a file from the work folder, at any time.
    pub fn remove_file(&self, path: &str) -> Result<(), Error> {
        self.must_be_open()?;
        self.work_folder().remove(path)?;
        self.note(FileChange::Removed(path.to_owned()));
        Ok(())
    }

    fn note(&self, change: FileChange) {
        let outside = Arc::clone(&self.work_folder_place().1);
        outside.lock().unwrap_or_else(PoisonError::into_inner).push(change);
    }
}
