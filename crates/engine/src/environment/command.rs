//! Starting the few programs that provisioning needs: an interpreter, and an installer.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use super::error::Error;

/// What a program that ended said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    /// The last lines of standard error.
    pub(crate) stderr: Vec<String>,
}

/// The most lines of standard error that are kept.
const MOST_LINES: usize = 50;

/// Runs a program to its end, without standard input; each line of its standard error is told.
pub(crate) fn run<A: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = A>,
    tell: &mut dyn FnMut(&str),
) -> Result<Said, Error> {
    let failed = |source| Error::Program { program: program.display().to_string(), source };
    let mut child = command(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let stdout = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        stdout.map(|mut stdout| stdout.read_to_end(&mut all).map(|_| all))
    });
    let mut lines = Vec::new();
    let stderr = child.stderr.take().map(BufReader::new);
    for line in stderr.into_iter().flat_map(|stderr| stderr.split(b'\n')) {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        tell(&line);
        lines.push(line);
        if lines.len() > MOST_LINES {
            lines.remove(0);
        }
    }
    let status = child.wait().map_err(failed)?;
    let stdout = reader.join().ok().flatten().and_then(Result::ok).unwrap_or_default();
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    Ok(Said { success: status.success(), stdout, stderr: lines })
}

#[expect(
    clippy::disallowed_methods,
    reason = "provisioning runs before any guest code exists, and outside the sandbox"
)]
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    // What is done must not depend on where it was asked for: a project's own settings and choice of
    // a version lie in the current folder.
    command.current_dir("/");
    // Settings of pip that many users have, and that contradict an installation into a folder.
    command.env("PIP_USER", "0").env("PIP_REQUIRE_VIRTUALENV", "0");
    command
}

/// The program of this name on the path of the user, if there is one.
pub(crate) fn on_path(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|place| place.is_file())
}
