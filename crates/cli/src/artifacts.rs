//! Where what a run made goes on this machine: its artifacts, and its pictures as files.
//!
//! The folder is made when there is something for it. One that we name ourselves carries the run's
//! id, which is known only when the run is over, so it is filled under another name before.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use execute_python_engine::Delivery;
use execute_python_engine::protocol::{MimeBundle, Outcome};

use crate::display::{Shown, shown};
use crate::settings;

/// Where folders of runs are made when the command line names none.
const PARENT: &str = "execute-python-out";
/// How many names are tried for a picture whose name is taken.
const MOST_NAMES: usize = 1_000;

/// What the program makes cannot be put where it should go.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is something else of this name.
    #[error("`{}` is a file, not a folder", .path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// Nothing can be written there.
    #[error("cannot write to `{}`", .path.display())]
    NotWritable {
        /// The path.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
}

impl Error {
    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Error::NotAFolder { .. } => "give `--out` a folder, or a name that does not exist yet",
            Error::NotWritable { .. } => "give `--out` a folder that you may write to",
        }
    }
}

/// The folder of one run.
#[derive(Debug)]
pub(crate) struct Place {
    folder: PathBuf,
    /// Whether the folder is renamed after the run, and removed if there is none.
    ours: bool,
}

/// A picture that became a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Saved {
    /// Where.
    pub(crate) name: String,
    /// Its MIME type.
    pub(crate) mime_type: String,
    /// Its size.
    pub(crate) bytes: u64,
}

impl Place {
    /// The folder of `--out`, or one of our own. Nothing is made yet.
    pub(crate) fn new(out: Option<&Path>) -> Result<Self, Error> {
        let parent = out.unwrap_or(Path::new(PARENT));
        match fs::metadata(parent) {
            Ok(metadata) if !metadata.is_dir() => {
                return Err(Error::NotAFolder { path: parent.to_owned() });
            }
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::NotWritable { path: parent.to_owned(), source });
            }
            _ => {}
        }
        let unfinished = || parent.join(format!(".unfinished-{}", std::process::id()));
        let folder = out.map_or_else(unfinished, Path::to_owned);
        Ok(Self { folder, ours: out.is_none() })
    }

    /// Where the engine puts artifacts.
    pub(crate) fn delivery(&self) -> Delivery {
        Delivery::Folder(self.folder.clone())
    }

    /// Writes the pictures of a run beside its artifacts.
    pub(crate) fn save_pictures(&self, outcome: &Outcome) -> Result<Vec<Saved>, Error> {
        let displays = outcome.displays.iter().enumerate();
        let named = displays.map(|(index, display)| (format!("display-{}", index + 1), display));
        named
            .chain(outcome.value.iter().map(|value| ("value".to_owned(), value)))
            .filter_map(|(stem, bundle)| self.save(&stem, bundle).transpose())
            .collect()
    }

    fn save(&self, stem: &str, bundle: &MimeBundle) -> Result<Option<Saved>, Error> {
        let Shown::File { mime_type, ending, content } = shown(bundle) else { return Ok(None) };
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| self.create(stem, ending))
            .and_then(|(name, mut file)| file.write_all(&content).map(|()| name));
        let name =
            written.map_err(|source| Error::NotWritable { path: self.folder.clone(), source })?;
        Ok(Some(Saved { name, mime_type, bytes: content.len() as u64 }))
    }

    /// Makes a file whose name no artifact has, and which is no link that one left.
    fn create(&self, stem: &str, ending: &str) -> io::Result<(String, File)> {
        for number in 1..MOST_NAMES {
            let name = match number {
                1 => format!("{stem}.{ending}"),
                number => format!("{stem}-{number}.{ending}"),
            };
            match File::create_new(self.folder.join(&name)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|file| (name, file)),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Takes the name of settings from artifacts. A program whose artifacts go to the folder where
    /// we are started next would otherwise write our settings.
    pub(crate) fn disarm(&self, outcome: &mut Outcome) -> Result<(), Error> {
        for artifact in &mut outcome.artifacts {
            if Path::new(&artifact.path).file_name().is_none_or(|name| name != settings::FILE_NAME)
            {
                continue;
            }
            let tame = format!("{}.artifact", artifact.path);
            fs::rename(self.folder.join(on_disk(&artifact.path)), self.folder.join(on_disk(&tame)))
                .map_err(|source| Error::NotWritable { path: self.folder.clone(), source })?;
            outcome.notes.push(format!(
                "`{}` is delivered as `{tame}`: a program cannot write settings of ours",
                artifact.path
            ));
            artifact.path = tame;
        }
        Ok(())
    }

    /// Gives the folder its final name; `None` if there is no folder.
    pub(crate) fn settle(mut self, id: &str) -> Result<Option<PathBuf>, Error> {
        if !self.folder.is_dir() {
            return Ok(None);
        }
        if self.ours {
            let settled = Path::new(PARENT).join(id);
            fs::rename(&self.folder, &settled)
                .map_err(|source| Error::NotWritable { path: settled.clone(), source })?;
            self.ours = false;
            return Ok(Some(settled));
        }
        Ok(Some(self.folder.clone()))
    }
}

/// The path of an artifact as the engine writes it: without control characters.
pub(crate) fn on_disk(path: &str) -> String {
    path.replace(char::is_control, "\u{fffd}")
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.ours && fs::remove_dir_all(&self.folder).is_ok() {
            // Only goes when no other run is in it, which is as it should be.
            drop(fs::remove_dir(PARENT));
        }
    }
}
