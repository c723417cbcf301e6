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
import json, site, sys, sysconfig
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
    'site_packages': any(p.endswith('site-packages') for p in site.getsitepackages(['/usr'])),
    'free_threaded': bool(v.get('Py_GIL_DISABLED')),
}))";

/// One CPython of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interpreter {
    /// The real program, whatever name, link, script or virtual environment led to it.
    pub program: PathBuf,
    /// What changes when the program does: its size and time of change.
    stamp: String,
    /// The same of what led to it.
    asked: String,
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
    /// Whether it looks for packages in `site-packages`, as all but Debian's do.
    pub site_packages: bool,
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
        let refuse_io = |error: std::io::Error| refuse(error.to_string());
        let path = std::path::absolute(path).map_err(refuse_io)?;
        let program = fs::canonicalize(&path).map_err(refuse_io)?;
        let asked = stamp(&program).map_err(refuse_io)? + &choice(&path);
        let kept = cache.join("interpreters").join(key(&path));
        if let Some(known) = read(&kept).filter(|known| known.is_still(&asked)) {
            return Ok(known);
        }
        // A virtual environment and a version manager know by the name that they are called.
        let said = command::run(&path, ["-I", "-S", "-c", QUESTION], &mut |_| {})?;
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
        let stamp = stamp(&program).map_err(refuse_io)?;
        let found = Interpreter { program, stamp, asked, facts };
        if let Some(folder) = kept.parent() {
            fs::create_dir_all(folder).at("create", folder)?;
        }
        let text = serde_json::to_string(&found).map_err(|error| refuse(error.to_string()))?;
        fs::write(&kept, text).at("write", &kept)?;
        Ok(found)
    }

    /// Whether neither what was asked nor the program that it led to has changed since.
    fn is_still(&self, asked: &str) -> bool {
        self.asked == asked && stamp(&self.program).is_ok_and(|stamp| stamp == self.stamp)
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

/// What the script of a version manager decides by; it is the same file whatever it leads to.
fn choice(path: &Path) -> String {
    let Some(folder) = path.parent().filter(|folder| folder.ends_with("shims")) else {
        return String::new();
    };
    let chosen = fs::read_to_string(folder.with_file_name("version")).unwrap_or_default();
    let named = std::env::var("PYENV_VERSION").unwrap_or_default();
    format!("|{named}|{}", chosen.trim())
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A version manager with one version, and its script, which leads to the version that is set.
    fn version_manager(folder: &Path) -> PathBuf {
        let real = command::on_path("python3").unwrap();
        let real = Interpreter::discover(Some(&real), folder).unwrap().program;
        for version in ["one", "two"] {
            let place = folder.join("versions").join(version);
            fs::create_dir_all(&place).unwrap();
            std::os::unix::fs::symlink(&real, place.join("python3")).unwrap();
        }
        fs::create_dir(folder.join("shims")).unwrap();
        fs::write(folder.join("version"), "one").unwrap();
        let shim = folder.join("shims/python3");
        let here = folder.display();
        let text = format!(
            "#!/bin/sh\necho asked >> {here}/asked\nexec {here}/versions/$(cat {here}/version)/python3 \"$@\"\n"
        );
        fs::write(&shim, text).unwrap();
        fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
        shim
    }

    #[test]
    fn a_script_is_asked_once_and_again_when_another_version_is_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let shim = version_manager(folder.path());
        let times = || fs::read_to_string(folder.path().join("asked")).unwrap().lines().count();
        let ask = || Interpreter::discover(Some(&shim), folder.path()).unwrap();
        let first = ask();
        assert_eq!(ask(), first);
        assert_eq!(times(), 1);
        fs::write(folder.path().join("version"), "two").unwrap();
        ask();
        assert_eq!(times(), 2);
    }

    #[test]
    fn an_interpreter_is_the_same_whatever_led_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let shim = version_manager(folder.path());
        let by_script = Interpreter::discover(Some(&shim), folder.path()).unwrap();
        let direct = Interpreter::discover(Some(&by_script.program), folder.path()).unwrap();
        assert_eq!(by_script.identity(), direct.identity());
    }

    #[test]
    fn what_is_no_python_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = Interpreter::discover(Some(Path::new("/bin/true")), folder.path());
        assert!(matches!(refused, Err(Error::Python { .. })), "{refused:?}");
    }
}
