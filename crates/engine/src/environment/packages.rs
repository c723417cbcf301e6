//! Installing the packages of an environment: wheels only, each with its hash.
//!
//! No code of a package runs on the host: a wheel is unpacked, and nothing is built. The installer
//! itself is uv, of a version that is pinned by its hash where the machine has none, else pip, which
//! is several times slower. Pip is also the second try when uv fails: it knows settings of the
//! user's that uv does not read.

use std::fs;
use std::path::{Path, PathBuf};

use super::command::{self, Said};
use super::definition::UV;
use super::error::{At, Error};
use super::interpreter::Interpreter;
use super::staging::Staging;
use crate::digest;

/// What is to be installed.
#[derive(Debug)]
pub(crate) struct Order<'a> {
    /// The name of the environment, for messages.
    pub(crate) environment: &'a str,
    pub(crate) interpreter: &'a Interpreter,
    /// The file that names each package with its hashes.
    pub(crate) lock: &'a Path,
    /// The folder that the packages go to.
    pub(crate) into: &'a Path,
    /// Where installers are kept.
    pub(crate) tools: &'a Path,
}

/// Installs what a lock file names into a folder.
pub(crate) fn install(order: &Order<'_>, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let program = &order.interpreter.program;
    let mut first = None;
    if let Some(uv) = uv(order)? {
        let said = command::run(&uv, uv_arguments(order), tell)?;
        if said.success {
            return Ok(());
        }
        if Trouble::of(&said).is_final() {
            return Err(failure(order.environment, &said));
        }
        start_again(order.into)?;
        first = Some(said);
    }
    let Some(pip) = pip(order.interpreter)? else {
        return Err(first.map_or_else(
            || no_installer(order.environment),
            |said| failure(order.environment, &said),
        ));
    };
    let said = command::run(program, pip_arguments(&pip, order.lock, order.into), tell)?;
    if said.success { Ok(()) } else { Err(failure(order.environment, &said)) }
}

/// Removes what an installer that failed has put into a folder.
fn start_again(folder: &Path) -> Result<(), Error> {
    fs::remove_dir_all(folder).at("remove", folder)?;
    fs::create_dir(folder).at("create", folder)
}

/// uv, where it is on the machine or can be had.
fn uv(order: &Order<'_>) -> Result<Option<PathBuf>, Error> {
    if let Some(uv) = command::on_path("uv") {
        return Ok(Some(uv));
    }
    let name = format!("uv-{}", digest::hex(&digest::of(UV.as_bytes())[..8]));
    let inside = Path::new("bin/uv");
    let kept = order.tools.join(&name).join(inside);
    if kept.is_file() {
        return Ok(Some(kept));
    }
    let Some(pip) = pip(order.interpreter)? else { return Ok(None) };
    let staging = Staging::begin(order.tools, &name)?;
    if kept.is_file() {
        return Ok(Some(kept));
    }
    fs::create_dir(staging.stage()).at("create", staging.stage())?;
    let lock = staging.stage().join("uv.lock");
    fs::write(&lock, UV).at("write", &lock)?;
    let arguments = pip_arguments(&pip, &lock, staging.stage());
    let said = command::run(&order.interpreter.program, arguments, &mut |_| {})?;
    if !said.success {
        let trouble = Trouble::of(&said);
        // There may be no uv for this machine; pip would fail at the packages as it failed here.
        let same = trouble.is_final() || trouble == Trouble::Unreachable;
        return if same { Err(failure(order.environment, &said)) } else { Ok(None) };
    }
    Ok(Some(staging.finish()?.join(inside)))
}

fn uv_arguments(order: &Order<'_>) -> Vec<String> {
    let mut arguments: Vec<String> = ["pip", "install", "--no-deps", "--require-hashes"]
        .iter()
        .chain(&["--only-binary=:all:", "--link-mode=copy", "--no-config", "--python"])
        .map(|&argument| argument.to_owned())
        .collect();
    arguments.push(order.interpreter.program.display().to_string());
    arguments.extend(["--target".to_owned(), order.into.display().to_string()]);
    arguments.extend(["-r".to_owned(), order.lock.display().to_string()]);
    // uv does not read pip's settings, where a mirror is named.
    if let Some(index) = pip_index() {
        arguments.extend(["--index-url".to_owned(), index]);
    }
    arguments
}

/// The package index that pip was told to use, if any.
fn pip_index() -> Option<String> {
    if let Ok(index) = std::env::var("PIP_INDEX_URL") {
        return Some(index);
    }
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let places =
        [home.join(".config/pip/pip.conf"), home.join(".pip/pip.conf"), "/etc/pip.conf".into()];
    places.iter().find_map(|place| {
        let text = fs::read_to_string(place).ok()?;
        let line = text.lines().find(|line| line.trim_start().starts_with("index-url"))?;
        Some(line.split_once('=')?.1.trim().to_owned())
    })
}

/// How this interpreter starts pip: its own, else the one that is kept for new virtual environments.
fn pip(interpreter: &Interpreter) -> Result<Option<Vec<String>>, Error> {
    let own = command::run(&interpreter.program, ["-I", "-c", "import pip"], &mut |_| {})?;
    if own.success {
        return Ok(Some(["-I", "-m", "pip"].map(str::to_owned).to_vec()));
    }
    let bundled = interpreter.facts.stdlib.join("ensurepip/_bundled");
    let folders = [bundled, PathBuf::from("/usr/share/python-wheels")];
    let wheel = folders.iter().find_map(|folder| {
        let entries = fs::read_dir(folder).ok()?.flatten();
        entries.map(|entry| entry.path()).find(|path| is_pip(path))
    });
    // A wheel is an archive, and the interpreter runs a package inside an archive.
    Ok(wheel.map(|wheel| vec!["-I".to_owned(), wheel.join("pip").display().to_string()]))
}

fn is_pip(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("pip-") && name.ends_with(".whl")
}

fn pip_arguments(pip: &[String], lock: &Path, into: &Path) -> Vec<String> {
    let mut arguments = pip.to_vec();
    arguments.extend(
        [
            "install",
            "--disable-pip-version-check",
            "--no-input",
            "--no-deps",
            "--only-binary=:all:",
            "--require-hashes",
            "--no-compile",
            "--progress-bar=off",
            "--retries=2",
            "--target",
        ]
        .map(str::to_owned),
    );
    arguments.extend([into.display().to_string(), "-r".to_owned(), lock.display().to_string()]);
    arguments
}

/// What kept an installer from its work, as far as its words tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    DiskFull,
    Hash,
    Unreachable,
    Other,
}

impl Trouble {
    fn of(said: &Said) -> Self {
        let all = said.stderr.join("\n").to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
        if has(&["no space left", "os error 28"]) {
            return Self::DiskFull;
        }
        if has(&["do not match the hashes", "hash mismatch"]) {
            return Self::Hash;
        }
        // Whole phrases: names of packages, such as `networkx`, are among the words too.
        let phrases = [
            "failed to fetch",
            "error sending request",
            "dns error",
            "name resolution",
            "network is unreachable",
            "failed to establish a new connection",
            "connection broken",
            "connection refused",
            "connection reset",
            "connect error",
            "timed out",
        ];
        if has(&phrases) { Self::Unreachable } else { Self::Other }
    }

    /// Whether another installer would meet the same.
    fn is_final(self) -> bool {
        matches!(self, Self::DiskFull | Self::Hash)
    }

    fn hint(self) -> &'static str {
        match self {
            Self::DiskFull => "free some space: the `data` environment needs 1.2 GB",
            Self::Hash => {
                "the package index served another file than the lock file names; try again, or report it"
            }
            Self::Unreachable => {
                "connect this machine once, or name a mirror with `PIP_INDEX_URL`; environments that are built work offline"
            }
            Self::Other => {
                "see what the installer said; `execute-python env build NAME` tries again"
            }
        }
    }
}

/// The error for what an installer said.
fn failure(environment: &str, said: &Said) -> Error {
    let trouble = Trouble::of(said);
    let lines = || said.stderr.iter().map(|line| line.trim());
    let meaning = lines().rev().find(|line| {
        ["ERROR", "error", "×"].iter().any(|begin| line.starts_with(begin))
            || line.contains("Caused by")
    });
    let reason = match trouble {
        // What an installer says last is what it missed in the end, not why.
        Trouble::Unreachable => "the package index cannot be reached",
        _ => meaning.or(lines().next_back()).unwrap_or("the installer said nothing"),
    };
    let (environment, reason) = (environment.to_owned(), reason.to_owned());
    Error::Packages { environment, reason, hint: trouble.hint() }
}

fn no_installer(environment: &str) -> Error {
    Error::Packages {
        environment: environment.to_owned(),
        reason: "there is neither uv nor pip".into(),
        hint: "install one of them, such as with `apt-get install python3-pip`",
    }
}

/// Name and version of each package in a folder, from the folders of their metadata.
pub(crate) fn installed(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (name, version) = name.strip_suffix(".dist-info")?.split_once('-')?;
            Some((name.replace('_', "-").to_lowercase(), version.to_owned()))
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(stderr: &[&str]) -> Trouble {
        let stderr = stderr.iter().map(|&line| line.to_owned()).collect();
        Trouble::of(&Said { success: false, stdout: String::new(), stderr })
    }

    #[test]
    fn the_words_of_an_installer_tell_what_to_do() {
        let offline = "Failed to establish a new connection: [Errno -3] Temporary failure";
        assert_eq!(trouble(&[offline, "ERROR: No matching distribution"]), Trouble::Unreachable);
        assert_eq!(trouble(&["error: Failed to fetch: `…`"]), Trouble::Unreachable);
        assert_eq!(trouble(&["  Caused by: No space left on device"]), Trouble::DiskFull);
        let mismatch = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE";
        assert_eq!(trouble(&[mismatch]), Trouble::Hash);
    }

    #[test]
    fn names_of_packages_tell_nothing() {
        let lines = ["Resolved 65 packages", "error: networkx and xxhash have no usable wheels"];
        assert_eq!(trouble(&lines), Trouble::Other);
    }

    #[test]
    fn lock_files_name_no_index() {
        for lock in [UV, super::super::definition::FONTS] {
            assert!(!lock.contains("://") && !lock.contains("--index"), "{lock}");
        }
    }
}
