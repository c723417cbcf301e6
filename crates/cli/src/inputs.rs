//! What the program is given to read: the files of `--file` and the text of `--stdin`.
//!
//! All of it is read before anything is started, and no more of it than the limits let in. Names are
//! checked here for a good message; the engine checks them again, because it trusts no caller.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use execute_python_engine::protocol::InputFile;

use crate::units::Unit;

/// What cannot be given to the program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is no such file.
    #[error("there is no file `{path}`")]
    NotFound {
        /// As given.
        path: String,
    },
    /// There is no such file for standard input.
    #[error("there is no file `{path}`")]
    NoStdin {
        /// As given.
        path: String,
    },
    /// It is a folder.
    #[error("`{path}` is a folder, not a file")]
    Folder {
        /// As given.
        path: String,
    },
    /// It cannot be read.
    #[error("cannot read `{path}`")]
    Unreadable {
        /// As given.
        path: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Its name would lead out of the work folder, or nowhere.
    #[error("`{name}` is no name for a file in the work folder")]
    Name {
        /// As given.
        name: String,
    },
    /// Two files of one name.
    #[error("two input files have the name `{name}`")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// There is more than the work folder takes.
    #[error("the input is larger than the disk limit of {}", Unit::Size.exact(*.limit))]
    TooMuch {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The text for standard input is not text.
    #[error("the text for standard input, {what}, is not UTF-8")]
    NotUtf8 {
        /// Where it is from.
        what: String,
    },
    /// Our standard input is read for the code already.
    #[error("standard input cannot be both the code and the program's input")]
    StdinTwice,
}

impl Error {
    /// What to do about it.
    pub(crate) fn hint(&self) -> String {
        match self {
            Error::NotFound { .. } => "give `--file path` or `--file name=path`".into(),
            Error::NoStdin { path } => {
                format!("give `--stdin @path`; `--stdin @@{path}` is a text that begins with `@`")
            }
            Error::Folder { .. } => "give each of its files with a `--file` of its own".into(),
            Error::Unreadable { .. } => "see to it that you may read it".into(),
            Error::Name { .. } => {
                "use a relative name without `..`, such as `--file data.csv=path`".into()
            }
            Error::Duplicate { name } => {
                format!("give one another name: `--file other-{name}=path`")
            }
            Error::TooMuch { .. } => "raise it with `--disk`, up to the ceiling".into(),
            Error::NotUtf8 { .. } => "give bytes as a file with `--file`".into(),
            Error::StdinTwice => "put one of both into a file".into(),
        }
    }
}

/// Reads the files of `--file`, all together at most `limit` bytes.
pub(crate) fn files(given: &[OsString], limit: u64) -> Result<Vec<InputFile>, Error> {
    let mut names = BTreeSet::new();
    let mut files = Vec::new();
    let mut left = limit;
    for argument in given {
        let (name, path) = split(argument);
        let name = checked(&name)?;
        if !names.insert(name.clone()) {
            return Err(Error::Duplicate { name });
        }
        let content = read(path, left)?.ok_or(Error::TooMuch { limit })?;
        left -= content.len() as u64;
        files.push(InputFile { path: name, content });
    }
    Ok(files)
}

/// The text of `--stdin`: itself, or what is in the file after `@`. `@@` begins a text with `@`.
pub(crate) fn stdin(given: &str, limit: u64, code_is_stdin: bool) -> Result<String, Error> {
    let path = match given.strip_prefix('@') {
        None => return Ok(given.to_owned()),
        Some(text) if text.starts_with('@') => return Ok(text.to_owned()),
        Some("-") if code_is_stdin => return Err(Error::StdinTwice),
        Some(path) => path,
    };
    let bytes = if path == "-" {
        read_at_most(io::stdin().lock(), limit)
            .map_err(|source| Error::Unreadable { path: "standard input".into(), source })?
    } else {
        read(Path::new(path), limit).map_err(|error| match error {
            Error::NotFound { path } => Error::NoStdin { path },
            error => error,
        })?
    };
    let bytes = bytes.ok_or(Error::TooMuch { limit })?;
    String::from_utf8(bytes).ok().ok_or_else(|| Error::NotUtf8 { what: format!("`{path}`") })
}

/// The name and the path: `name=path`, or a path whose last part is the name.
fn split(argument: &OsStr) -> (String, &Path) {
    let bytes = argument.as_bytes();
    let (name, path) = match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) => (OsStr::from_bytes(&bytes[..at]), OsStr::from_bytes(&bytes[at + 1..])),
        None => (Path::new(argument).file_name().unwrap_or(argument), argument),
    };
    (name.to_string_lossy().into_owned(), Path::new(path))
}

/// The name in its plain form; `a//b` and `./a/b` are `a/b`.
fn checked(name: &str) -> Result<String, Error> {
    let refused = || Error::Name { name: name.to_owned() };
    let mut parts = Vec::new();
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str().ok_or_else(refused)?),
            Component::CurDir => {}
            _ => return Err(refused()),
        }
    }
    // Names that were not UTF-8 are refused too: nobody would find the file again.
    if parts.is_empty() || name.ends_with('/') || name.contains(['\0', '\u{fffd}']) {
        return Err(refused());
    }
    Ok(parts.join("/"))
}

/// The content of a file, or `None` if it is longer than `limit`.
fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    let shown = path.display().to_string();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::NotFound { path: shown });
        }
        Err(source) => return Err(Error::Unreadable { path: shown, source }),
    };
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Error::Folder { path: shown });
    }
    read_at_most(file, limit).map_err(|source| Error::Unreadable { path: shown, source })
}

fn read_at_most(from: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_own_name_or_the_one_it_is_given() {
        for (argument, name, path) in [
            ("data.csv", "data.csv", "data.csv"),
            ("/tmp/x/data.csv", "data.csv", "/tmp/x/data.csv"),
            ("in/a.csv=/tmp/data.csv", "in/a.csv", "/tmp/data.csv"),
            ("a=b=c", "a", "b=c"),
        ] {
            assert_eq!(split(OsStr::new(argument)), (name.into(), Path::new(path)), "{argument}");
        }
    }

    #[test]
    fn a_name_that_leads_out_of_the_work_folder_or_nowhere_is_refused() {
        for name in ["", "..", "../x", "a/../../x", "/etc/passwd", "a/", ".", "/", "a\u{fffd}"] {
            assert!(checked(name).is_err(), "{name}");
        }
        assert_eq!(checked("./a//b.csv").unwrap(), "a/b.csv");
    }

    #[test]
    fn an_at_sign_names_a_file_and_two_are_a_text() {
        assert_eq!(stdin("hello", 10, false).unwrap(), "hello");
        assert_eq!(stdin("@@hello", 10, false).unwrap(), "@hello");
        assert!(matches!(stdin("@/nonexistent", 10, false), Err(Error::NoStdin { .. })));
        assert!(matches!(stdin("@-", 10, true), Err(Error::StdinTwice)));
    }

    #[test]
    fn no_more_is_read_than_the_limit_lets_in() {
        let endless = [OsString::from("zero=/dev/zero")];
        assert!(matches!(files(&endless, 1 << 20), Err(Error::TooMuch { limit: 1_048_576 })));
    }
}
