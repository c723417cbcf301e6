//! A folder to work in and the program to run in it.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::{env, fs};

use regex::Regex;
use snapbox::cmd::Command;
use snapbox::{Assert, Redactions};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_execute-python");

/// What differs from run to run, and the name that stands for it in expected texts. Of a pattern
/// the group `redacted` is replaced.
const VARYING: [(&str, &str); 4] = [
    ("[RUN]", r"run_[0-9a-f]{32}"),
    ("[WALL]", r"done in (?<redacted>[0-9.]+ m?s)"),
    ("[CPU]", r"\(cpu (?<redacted>[0-9.]+ m?s)"),
    ("[PEAK]", r"memory peak (?<redacted>[0-9.]+ [KM]?i?B)"),
];

/// An empty folder in which the program is started, with no settings of the user's.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file into it.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let place = self.path().join(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
        self
    }

    /// The program with these arguments, to be run and compared.
    pub(crate) fn execute_python<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut redactions = Redactions::new();
        redactions.insert("[FOLDER]", self.path().to_owned()).unwrap();
        for (name, pattern) in VARYING {
            redactions.insert(name, Regex::new(pattern).unwrap()).unwrap();
        }
        let assert = Assert::new().action_env("SNAPSHOTS").redact_with(redactions);
        let mut command = Command::new(PROGRAM).with_assert(assert);
        for name in REMOVED {
            command = command.env_remove(name);
        }
        command
            .current_dir(self.path())
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .args(cache())
            .args(arguments)
    }

    /// The program with these arguments, to be talked to.
    #[expect(clippy::disallowed_methods, reason = "a test starts our own program")]
    pub(crate) fn start<const N: usize>(&self, arguments: [&str; N], streams: Streams) -> Child {
        let mut command = std::process::Command::new(PROGRAM);
        for name in REMOVED {
            command.env_remove(name);
        }
        command
            .current_dir(self.path())
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .args(cache())
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(streams.stdout)
            .stderr(streams.stderr)
            .spawn()
            .unwrap()
    }

    /// The names of everything in it, folders included, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                names.push(path.strip_prefix(self.path()).unwrap().display().to_string());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        names.sort();
        names
    }
}

/// Where a started program writes.
pub(crate) struct Streams {
    pub(crate) stdout: Stdio,
    pub(crate) stderr: Stdio,
}

const REMOVED: [&str; 2] = ["EXECUTE_PYTHON_CONFIG", "NO_COLOR"];

fn cache() -> Vec<PathBuf> {
    let named = env::var_os("EXECUTE_PYTHON_TEST_CACHE").map(PathBuf::from);
    named.into_iter().flat_map(|folder| ["--cache-dir".into(), folder]).collect()
}
