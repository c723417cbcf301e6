//! Installing the packages of an environment: wheels only, each with its hash.
//!
//! No code of a package runs on the host: a wheel is unpacked, and nothing is built.

use std::fs;
use std::path::{Path, PathBuf};

use super::command::{self, Said};
use super::error::{At, Error};
use super::interpreter::Interpreter;

/// Installs what a lock file names into a folder.
pub(crate) fn install(
    environment: &str,
    interpreter: &Interpreter,
    lock: &str,
    into: &Path,
    tools: &Path,
    tell: &mut dyn FnMut(&str),
) -> Result<(), Error> {
    let file = tools.join(format!("{environment}.lock"));
    fs::create_dir_all(tools).at("create", tools)?;
    fs::write(&file, lock).at("write", &file)?;
    let said = match uv(interpreter, tools) {
        Some(uv) => command::run(&uv, uv_arguments(interpreter, &file, into), tell)?,
        None => command::run(&interpreter.program, pip_arguments(&file, into), tell)?,
    };
    if said.success { Ok(()) } else { Err(failure(environment, &said)) }
}

/// uv, where it is on the machine or can be had: it is several times faster than pip.
fn uv(interpreter: &Interpreter, tools: &Path) -> Option<PathBuf> {
    if let Some(uv) = command::on_path("uv") {
        return Some(uv);
    }
    let folder = tools.join("uv");
    let uv = folder.join("bin/uv");
    if !uv.is_file() {
        let mut arguments = pip_start();
        arguments.extend(["--only-binary=:all:", "--target"].map(str::to_owned));
        arguments.extend([folder.display().to_string(), "uv".to_owned()]);
        command::run(&interpreter.program, arguments, &mut |_| {}).ok().filter(|s| s.success)?;
    }
    Some(uv)
}

fn uv_arguments(interpreter: &Interpreter, lock: &Path, into: &Path) -> Vec<String> {
    let mut arguments: Vec<String> = ["pip", "install", "--no-deps", "--require-hashes"]
        .iter()
        .chain(&["--only-binary=:all:", "--link-mode=copy", "--no-config", "--python"])
        .map(|&argument| argument.to_owned())
        .collect();
    arguments.push(interpreter.program.display().to_string());
    arguments.extend(["--target".to_owned(), into.display().to_string()]);
    arguments.extend(["-r".to_owned(), lock.display().to_string()]);
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

fn pip_start() -> Vec<String> {
    ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps"]
        .map(str::to_owned)
        .to_vec()
}

fn pip_arguments(lock: &Path, into: &Path) -> Vec<String> {
    let mut arguments = pip_start();
    arguments.extend(
        [
            "--only-binary=:all:",
            "--require-hashes",
            "--no-compile",
            "--progress-bar=off",
            "--target",
        ]
        .map(str::to_owned),
    );
    arguments.extend([into.display().to_string(), "-r".to_owned(), lock.display().to_string()]);
    arguments
}

/// The error for what an installer said.
fn failure(environment: &str, said: &Said) -> Error {
    let all = said.stderr.join("\n");
    let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
    let hint = if has(&["No space left", "os error 28"]) {
        "free some space: the `data` environment needs 1.2 GB"
    } else if has(&["hash", "HASH"]) {
        "the package index served another file than the lock file names; try again, or report it"
    } else if has(&["No module named pip"]) {
        "this interpreter has no pip: install uv, or pip (`apt-get install python3-pip`)"
    } else if has(&[
        "resolve",
        "connect",
        "Connection",
        "timed out",
        "network",
        "dns",
        "unreachable",
        "Failed to fetch",
    ]) {
        "the package index cannot be reached: connect this machine once; environments that are built work offline"
    } else {
        "see what the installer said; `execute-python env build NAME` tries again"
    };
    let meaning = said.stderr.iter().rev().find(|line| {
        let line = line.trim_start();
        line.starts_with("ERROR") || line.starts_with("error") || line.contains("Caused by")
    });
    let last = meaning.or(said.stderr.last()).cloned();
    let reason = last.unwrap_or_else(|| "the installer said nothing".into());
    Error::Packages { environment: environment.to_owned(), reason: reason.trim().to_owned(), hint }
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
