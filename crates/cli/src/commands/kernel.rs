//! `execute-python kernel`: the Jupyter kernel, which is part of the Python package.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::failure::{Failure, OURS};

/// The module of the package.
const MODULE: &str = "execute_python.kernel";
/// Fails when the package is not there.
const LOOK: &str =
    "import importlib.util as i; raise SystemExit(not i.find_spec('execute_python'))";

/// Hands over to the package, in the interpreter that it is installed in.
pub(crate) fn kernel(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let python = interpreter().ok_or(Failure::NoPackage)?;
    let status = command(&python).args(["-m", MODULE]).args(arguments).status();
    let status =
        status.map_err(|source| Failure::System { doing: "start the interpreter", source })?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(OURS).into())
}

/// The interpreter beside this program, as `pip` installs it, or the one on the path.
fn interpreter() -> Option<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("python")));
    let mut all = beside.into_iter().chain([PathBuf::from("python3")]);
    all.find(|python| {
        command(python).args(["-c", LOOK]).status().is_ok_and(|status| status.success())
    })
}

#[expect(clippy::disallowed_methods, reason = "the user's interpreter runs our package, no guest")]
fn command(python: &Path) -> Command {
    Command::new(python)
}
