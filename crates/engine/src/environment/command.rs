//! Starting the few programs that provisioning needs: an interpreter, and an installer.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
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
    let reader = std::thread::spawn(move || stdout.map(std::io::read_to_string));
    let mut lines = Vec::new();
    for line in child.stderr.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let Ok(line) = line else { break };
        tell(&line);
        lines.push(line);
        if lines.len() > MOST_LINES {
            lines.remove(0);
        }
    }
    let status = child.wait().map_err(failed)?;
    let stdout = reader.join().ok().flatten().and_then(Result::ok).unwrap_or_default();
    Ok(Said { success: status.success(), stdout, stderr: lines })
}

#[expect(
    clippy::disallowed_methods,
    reason = "provisioning runs before any guest code exists, and outside the sandbox"
)]
fn command(program: &Path) -> Command {
    Command::new(program)
}

/// The program of this name on the path of the user, if there is one.
pub(crate) fn on_path(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|place| place.is_file())
}
