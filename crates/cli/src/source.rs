//! The code of a run: read from a script, the command line or standard input, and looked at before
//! anything is started for it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::args;

/// The longest code that is taken, in bytes.
const LONGEST: u64 = 10 << 20;

/// Code that can be run.
#[derive(Debug)]
pub(crate) struct Source {
    /// The text.
    pub(crate) code: String,
    /// The file name for tracebacks, if there is a better one than the default.
    pub(crate) name: Option<String>,
}

/// Code that cannot be run. `what` is how the caller knows it, such as `plot.py` in backticks.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is no such file.
    #[error("there is no file `{path}`")]
    NotFound {
        /// As given.
        path: String,
    },
    /// It is a folder.
    #[error("`{path}` is a folder, not a script")]
    Folder {
        /// As given.
        path: String,
    },
    /// It cannot be read.
    #[error("cannot read {what}")]
    Unreadable {
        /// What.
        what: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// It is longer than anything that is code.
    #[error("{what} is longer than the {} MiB that code may have", LONGEST >> 20)]
    TooLong {
        /// What.
        what: String,
    },
    /// It is not text.
    #[error("{what} is not UTF-8 (line {line})")]
    NotUtf8 {
        /// What.
        what: String,
        /// Where.
        line: usize,
    },
    /// It has a byte that Python does not take.
    #[error("{what} holds a null byte (line {line})")]
    Null {
        /// What.
        what: String,
        /// Where.
        line: usize,
    },
    /// There is nothing in it.
    #[error("{what} is empty: there is nothing to run")]
    Empty {
        /// What.
        what: String,
    },
}

impl Error {
    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Error::NotFound { .. } | Error::Folder { .. } => {
                "give the path of a script, `-c 'code'`, or `-` for standard input"
            }
            Error::Unreadable { .. } => "see to it that you may read it",
            Error::TooLong { .. } => "put data into a file of its own and give it with `--file`",
            Error::NotUtf8 { .. } => "save it as UTF-8",
            Error::Null { .. } => "remove the byte; is it a Python script?",
            Error::Empty { .. } => "give code such as `-c 'print(1 + 1)'`",
        }
    }
}

/// Reads the code that the command line means.
pub(crate) fn read(args: &args::Run) -> Result<Source, Error> {
    let (what, bytes, own_name) = match (&args.source.code, &args.source.script) {
        (Some(code), _) => ("the code".to_owned(), code.clone().into_bytes(), None),
        (None, Some(path)) if !args.source.is_stdin() => {
            (format!("`{}`", path.display()), read_script(path)?, file_name(path))
        }
        _ => {
            let what = "standard input";
            (what.to_owned(), read_some(io::stdin().lock(), what)?, None)
        }
    };
    let code = text(bytes, &what)?;
    Ok(Source { code, name: args.name.clone().or(own_name) })
}

fn read_script(path: &Path) -> Result<Vec<u8>, Error> {
    let shown = path.display().to_string();
    let what = format!("`{shown}`");
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Error::NotFound { path: shown });
        }
        Err(source) => return Err(Error::Unreadable { what, source }),
    };
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(Error::Folder { path: shown }),
        Ok(_) => read_some(file, &what),
        Err(source) => Err(Error::Unreadable { what, source }),
    }
}

/// Reads no more than shows that there is too much.
fn read_some(from: impl Read, what: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    from.take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| Error::Unreadable { what: what.to_owned(), source })?;
    Ok(bytes)
}

/// The bytes as Python source text.
fn text(bytes: Vec<u8>, what: &str) -> Result<String, Error> {
    let what = what.to_owned();
    if bytes.len() as u64 > LONGEST {
        return Err(Error::TooLong { what });
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = line_at(error.as_bytes(), error.utf8_error().valid_up_to());
            return Err(Error::NotUtf8 { what, line });
        }
    };
    if let Some(at) = text.find('\0') {
        return Err(Error::Null { what, line: line_at(text.as_bytes(), at) });
    }
    // Python takes a byte order mark at the beginning of a file, but not of a string.
    let text = text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned);
    if text.trim().is_empty() {
        return Err(Error::Empty { what });
    }
    Ok(text)
}

fn line_at(bytes: &[u8], at: usize) -> usize {
    bytes.iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        text(bytes.to_vec(), "`x.py`").unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_code_is_refused_with_the_line() {
        assert_eq!(refusal(b"a\nb\xff"), "`x.py` is not UTF-8 (line 2)");
        assert_eq!(refusal(b"a\n\nb\0"), "`x.py` holds a null byte (line 3)");
        assert_eq!(refusal(b" \n\t"), "`x.py` is empty: there is nothing to run");
        let long = vec![b'#'; usize::try_from(LONGEST).unwrap() + 1];
        assert_eq!(refusal(&long), "`x.py` is longer than the 10 MiB that code may have");
    }

    #[test]
    fn a_byte_order_mark_is_left_out() {
        assert_eq!(text(b"\xef\xbb\xbfprint(1)".to_vec(), "").unwrap(), "print(1)");
    }
}
