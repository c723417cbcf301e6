//! The interpreters of this machine, and what has to be known of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::command;
use super::error::{At, Error};
use crate::digest;

/// The minor versions of Python 3 that can be used.
const MINORS: std::ops::RangeInclusive<u32> = 9..=14;

/// What the interpreter itself says. Its answer is one JSON object.
const QUESTION: &str = "\
import json, sys, sysconfig
v = sysconfig.get_config_vars()
print(json.dumps({
    'implementation': sys.implementation.name,
    'version': '%d.%d.%d' % sys.version_info[:3],
    'minor': sys.version_info[1],
    'executable': sys.executable,
    'base_prefix': sys.base_prefix,
    'base_exec_prefix': sys.base_exec_prefix,
    'platlibdir': getattr(sys, 'platlibdir', 'lib'),
    'stdlib': sysconfig.get_path('stdlib', vars={'installed_base': sys.base_prefix, 'base': sys.base_prefix}),
    'platstdlib': sysconfig.get_path('platstdlib', vars={'installed_platbase': sys.base_exec_prefix, 'platbase': sys.base_exec_prefix, 'base': sys.base_prefix}),
    'free_threaded': bool(v.get('Py_GIL_DISABLED')),
}))";

/// One CPython of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interpreter {
    /// The program that was asked, links followed.
    pub program: PathBuf,
    /// What changes when the program does: its size and time of change.
    stamp: String,
    /// What it said.
    pub facts: Facts,
}

/// What an interpreter says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    implementation: String,
    /// The version, such as `3.12.4`.
    pub version: String,
    /// The number behind `3.`.
    pub minor: u32,
    executable: PathBuf,
    /// Where it was installed, a virtual environment left out.
    pub base_prefix: PathBuf,
    base_exec_prefix: PathBuf,
    /// `lib` or `lib64`.
    pub platlibdir: String,
    /// The folder of the standard library.
    pub stdlib: PathBuf,
    /// The folder of its compiled parts.
    pub platstdlib: PathBuf,
    free_threaded: bool,
}

impl Interpreter {
    /// Finds an interpreter: the one that is named, else `python3` on the path, else the newest of
    /// those in the usual places. What is known of one is kept in `cache`, so that it is asked once.
    pub fn discover(named: Option<&Path>, cache: &Path) -> Result<Interpreter, Error> {
        if let Some(path) = named {
            let place = if path.components().count() == 1 && !path.exists() {
                command::on_path(&path.to_string_lossy()).unwrap_or_else(|| path.to_owned())
            } else {
                path.to_owned()
            };
            return Self::ask(&place, cache);
        }
        let candidates = command::on_path("python3").into_iter().chain(usual_places());
        candidates
            .into_iter()
            .find_map(|place| Self::ask(&place, cache).ok())
            .ok_or(Error::NoPython)
    }

    /// Asks a program what it is, or remembers what it said.
    fn ask(path: &Path, cache: &Path) -> Result<Interpreter, Error> {
        let refuse = |reason: String| Error::Python { path: path.to_owned(), reason };
        let program = fs::canonicalize(path).map_err(|error| refuse(error.to_string()))?;
        let stamp = stamp(&program).map_err(|error| refuse(error.to_string()))?;
        let kept = cache.join("interpreters").join(key(path));
        if let Some(known) = read(&kept).filter(|known| known.stamp == stamp) {
            return Ok(known);
        }
        // A virtual environment and a version manager know by the name that they are called.
        let said = command::run(path, ["-I", "-S", "-c", QUESTION], &mut |_| {})?;
        let Ok(facts) = serde_json::from_str::<Facts>(said.stdout.trim()) else {
            let said = said.stderr.last().map_or("it did not answer", String::as_str);
            return Err(refuse(said.chars().take(200).collect()));
        };
        if facts.implementation != "cpython" || !MINORS.contains(&facts.minor) {
            return Err(refuse(format!("it is {} {}", facts.implementation, facts.version)));
        }
        if facts.free_threaded {
            return Err(refuse("it is a build without the global lock".into()));
        }
        let program = base_program(&facts).unwrap_or(program);
        let found = Interpreter { program, stamp, facts };
        if let Some(folder) = kept.parent() {
            fs::create_dir_all(folder).at("create", folder)?;
        }
        let text = serde_json::to_string(&found).map_err(|error| refuse(error.to_string()))?;
        fs::write(&kept, text).at("write", &kept)?;
        Ok(found)
    }

    /// A short text that differs between interpreters that need different environments.
    pub fn identity(&self) -> String {
        format!("{}|{}|{}", self.program.display(), self.facts.version, self.stamp)
    }
}

/// The real program of an interpreter that was asked through a virtual environment or a script.
fn base_program(facts: &Facts) -> Option<PathBuf> {
    let name = format!("python3.{}", facts.minor);
    let in_prefix = facts.base_exec_prefix.join("bin").join(name);
    [in_prefix, facts.executable.clone()].iter().find_map(|place| fs::canonicalize(place).ok())
}

fn read(path: &Path) -> Option<Interpreter> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn stamp(program: &Path) -> std::io::Result<String> {
    let facts = fs::metadata(program)?;
    let changed = facts.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{}-{}", facts.len(), changed.as_nanos()))
}

/// A file name for a path.
fn key(path: &Path) -> String {
    digest::hex(&digest::of(path.as_os_str().as_encoded_bytes())[..12]) + ".json"
}

/// Where interpreters are installed, the newest version first.
fn usual_places() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let mut places: Vec<PathBuf> = Vec::new();
    for minor in MINORS.rev() {
        let name = format!("python3.{minor}");
        places.extend(command::on_path(&name));
        for folder in ["/usr/local/bin", "/usr/bin"] {
            places.push(Path::new(folder).join(&name));
        }
        for managed in [".pyenv/versions", ".local/share/uv/python"] {
            let versions = fs::read_dir(home.join(managed)).into_iter().flatten().flatten();
            places.extend(versions.map(|version| version.path().join("bin").join(&name)));
        }
        for conda in ["miniconda3", "anaconda3", "miniforge3"] {
            places.push(home.join(conda).join("bin").join(&name));
        }
    }
    places.retain(|place| place.is_file());
    places
}
