//! Environments: a Python with its packages, frozen as a read-only root file system.
//!
//! An environment is built on first use into the user's cache. It is staged in a folder of its own
//! and renamed into place when it is complete, so that a build that is killed leaves nothing that
//! could be taken for an environment; a lock makes builders of the same one wait for each other.
//! What distinguishes one environment from another is in its id, so a change of the definition or of
//! the interpreter makes a new one.

mod command;
mod definition;
mod error;
mod interpreter;
mod packages;
mod root;
mod staging;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use definition::Definition;
pub use error::Error;
pub use interpreter::{Facts, Interpreter};

use crate::config::{Config, ProgressSink};
use crate::digest;
use error::At;
use staging::Staging;

/// Part of every id: a change of what a build makes is a new number.
const FORMAT: u32 = 3;

/// The hexadecimal digits at the end of an id.
const DIGITS: usize = 16;

/// A step of a build, to be shown as it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Which step this is, from 1.
    pub step: u32,
    /// How many steps there are.
    pub steps: u32,
    /// What is being done, such as `installing packages`.
    pub doing: String,
    /// What an installer said last, if it said something.
    pub detail: Option<String>,
}

/// An environment that is built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// Its name.
    pub name: String,
    /// What distinguishes it from every other one.
    pub id: String,
    /// The folder that is its root file system.
    #[serde(skip)]
    pub root: PathBuf,
    /// Its interpreter, as the inside sees it.
    pub python: PathBuf,
    /// The version of Python, such as `3.12.4`.
    pub version: String,
    /// What is imported before the first run.
    pub preload: Vec<String>,
    /// Name and version of each package.
    pub packages: Vec<(String, String)>,
    /// The size of the root file system in bytes.
    pub bytes: u64,
}

impl Environment {
    /// The environment variables of everything that runs in it: none are the host's.
    pub(crate) fn variables() -> Vec<(String, String)> {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = threads.min(8).to_string();
        [
            ("HOME", "/mnt/home"),
            ("TMPDIR", "/mnt/tmp"),
            ("USER", "guest"),
            ("LOGNAME", "guest"),
            ("LANG", "C.UTF-8"),
            ("LC_ALL", "C.UTF-8"),
            ("PATH", "/usr/bin"),
            ("TZ", "UTC"),
            ("LD_LIBRARY_PATH", "/usr/lib/execute-python/lib"),
            ("MPLCONFIGDIR", "/mnt/home/matplotlib"),
            // Arrow's allocator starts a thread of its own, and a zygote that has one cannot fork.
            ("JE_ARROW_MALLOC_CONF", "background_thread:false"),
            ("MATPLOTLIBRC", "/usr/lib/execute-python/matplotlibrc"),
            ("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("OPENBLAS_NUM_THREADS", &threads),
            ("OMP_NUM_THREADS", &threads),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    /// Where files lie that a zygote copies to the place where packages look for their caches.
    pub(crate) fn seeds(&self) -> PathBuf {
        self.root.join(root::OURS).join("seed")
    }
}

/// An environment as it is listed, built or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnvironmentInfo {
    /// Its name.
    pub name: String,
    /// Whether it is built.
    pub built: bool,
    /// What distinguishes it, if it is built.
    pub id: Option<String>,
    /// The version of its Python, if it is built.
    pub python: Option<String>,
    /// Its root file system, if it is built.
    pub root: Option<PathBuf>,
    /// Its size in bytes, if it is built.
    pub bytes: Option<u64>,
    /// Name and version of each package, if it is built.
    pub packages: Vec<(String, String)>,
    /// The names that its packages can be imported by.
    pub provides: Vec<String>,
    /// What is imported before the first run.
    pub preload: Vec<String>,
}

/// All environments of an engine.
#[derive(Debug)]
pub(crate) struct Environments {
    definitions: Vec<Definition>,
    python: Option<PathBuf>,
    cache: PathBuf,
    progress: Option<ProgressSink>,
    found: OnceLock<Interpreter>,
}

impl Environments {
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        let cache = match &config.cache_dir {
            Some(folder) => folder.clone(),
            None => user_cache()?.join("execute-python"),
        };
        // Programs that are started see another current folder.
        let cache = std::path::absolute(&cache).at("find", &cache)?;
        fs::create_dir_all(&cache).at("create", &cache)?;
        let mut definitions = definition::built_in();
        for own in &config.environments {
            definition::check_name(&own.name)?;
            definitions.retain(|definition| definition.name != own.name);
            definitions.push(own.clone());
        }
        Ok(Self {
            definitions,
            python: config.python.clone(),
            cache,
            progress: config.progress.clone(),
            found: OnceLock::new(),
        })
    }

    pub(crate) fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    fn definition(&self, name: &str) -> Result<&Definition, Error> {
        let found = self.definitions.iter().find(|definition| definition.name == name);
        found.ok_or_else(|| Error::Unknown(name.to_owned()))
    }

    fn interpreter(&self, definition: &Definition) -> Result<Interpreter, Error> {
        if definition.python.is_some() {
            return Interpreter::discover(definition.python.as_deref(), &self.cache);
        }
        if let Some(found) = self.found.get() {
            return Ok(found.clone());
        }
        let found = Interpreter::discover(self.python.as_deref(), &self.cache)?;
        Ok(self.found.get_or_init(|| found).clone())
    }

    fn folder(&self) -> PathBuf {
        self.cache.join("environments")
    }

    /// The environment of this name, if it is built: a look at one small file.
    pub(crate) fn open(&self, name: &str) -> Result<Option<Environment>, Error> {
        let definition = self.definition(name)?;
        let interpreter = self.interpreter(definition)?;
        Ok(open_at(&self.folder().join(id(definition, &interpreter))))
    }

    /// Builds the environment of this name, unless somebody else just did.
    pub(crate) fn build(&self, name: &str) -> Result<Environment, Error> {
        let definition = self.definition(name)?;
        let interpreter = self.interpreter(definition)?;
        let id = id(definition, &interpreter);
        let staging = Staging::begin(&self.folder(), &id)?;
        if let Some(environment) = open_at(staging.place()) {
            return Ok(environment);
        }
        let environment = self.build_at(staging.stage(), definition, &interpreter, &id)?;
        let place = staging.finish()?;
        Ok(Environment { root: place.join("root"), ..environment })
    }

    fn build_at(
        &self,
        stage: &Path,
        definition: &Definition,
        interpreter: &Interpreter,
        id: &str,
    ) -> Result<Environment, Error> {
        let name = &definition.name;
        let tell = |step, doing: &str, detail: Option<&str>| {
            if let Some(sink) = &self.progress {
                let detail = detail.map(str::to_owned);
                sink.tell(name, &Progress { step, steps: 5, doing: doing.to_owned(), detail });
            }
        };
        let root = stage.join("root");
        tell(1, "copying the interpreter", None);
        root::lay_out(&root, interpreter)?;
        let packages = root.join(root::packages(interpreter));
        if !definition.lock.is_empty() {
            tell(2, "installing packages", None);
            let lock = stage.join("packages.lock");
            let text = format!("{}\n{}", definition.lock, definition::FONTS);
            root::write(&lock, text.as_bytes())?;
            let order = packages::Order {
                environment: name,
                interpreter,
                lock: &lock,
                into: &packages,
                tools: &self.cache.join("tools"),
            };
            packages::install(&order, &mut |line| tell(2, "installing packages", Some(line)))?;
            take_font(&packages, &root)?;
        }
        root::write(&root.join(root::OURS).join("matplotlibrc"), MATPLOTLIBRC.as_bytes())?;
        tell(3, "copying shared libraries", None);
        root::libraries(&root, interpreter)?;
        tell(4, "compiling bytecode", None);
        compile(name, interpreter, &root)?;
        root::open_to_all(&root)?;
        tell(5, "writing the manifest", None);
        let environment = Environment {
            name: name.clone(),
            id: id.to_owned(),
            root: root.clone(),
            python: root::python(interpreter),
            version: interpreter.facts.version.clone(),
            preload: definition.preload.clone(),
            packages: packages::installed(&packages),
            bytes: size(&root),
        };
        let text = serde_json::to_vec_pretty(&environment)
            .map_err(|source| Error::Manifest { environment: name.clone(), source })?;
        root::write(&stage.join("manifest.json"), &text)?;
        Ok(environment)
    }

    /// Every environment, in the order of their definitions.
    pub(crate) fn list(&self) -> Result<Vec<EnvironmentInfo>, Error> {
        self.definitions
            .iter()
            .map(|definition| {
                // One whose interpreter is gone must not keep the others from being listed.
                let built = match self.open(&definition.name) {
                    Err(Error::NoPython | Error::Python { .. } | Error::Program { .. }) => None,
                    opened => opened?,
                };
                Ok(EnvironmentInfo {
                    name: definition.name.clone(),
                    built: built.is_some(),
                    id: built.as_ref().map(|built| built.id.clone()),
                    python: built.as_ref().map(|built| built.version.clone()),
                    root: built.as_ref().map(|built| built.root.clone()),
                    bytes: built.as_ref().map(|built| built.bytes),
                    packages: built.map(|built| built.packages).unwrap_or_default(),
                    provides: definition.provides.clone(),
                    preload: definition.preload.clone(),
                })
            })
            .collect()
    }

    /// Removes every build of the environment of this name; gives the bytes that are free again.
    pub(crate) fn remove(&self, name: &str) -> Result<u64, Error> {
        self.definition(name)?;
        let folder = self.folder();
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let ids: BTreeSet<String> =
            names.filter_map(|entry| Some(id_of(&entry, name)?.to_owned())).collect();
        let mut freed = 0;
        for id in ids {
            let place = folder.join(&id);
            let bytes = size(&place);
            Staging::begin(&folder, &id)?.discard()?;
            freed += bytes;
        }
        Ok(freed)
    }
}

/// The id that an entry of the folder of environments belongs to, if it is one of this name.
fn id_of<'a>(entry: &'a str, name: &str) -> Option<&'a str> {
    let entry = entry.strip_prefix('.').unwrap_or(entry);
    let digest = entry.strip_prefix(name)?.strip_prefix('-')?;
    let length = digest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digest.len());
    let rest = &digest[length..];
    let ours = length == DIGITS && (rest.is_empty() || rest.starts_with('.'));
    ours.then(|| &entry[..entry.len() - rest.len()])
}

/// Text that the first font lacks comes from the second: only names of fonts fall back to each other,
/// not those of a generic family.
const MATPLOTLIBRC: &str = "\
font.family: DejaVu Sans, Noto Sans CJK SC
";

/// The environment in this folder, if it is complete. A damaged one is none: it is built anew.
fn open_at(folder: &Path) -> Option<Environment> {
    let text = fs::read(folder.join("manifest.json")).ok()?;
    let environment: Environment = serde_json::from_slice(&text).ok()?;
    Some(Environment { root: folder.join("root"), ..environment })
}

/// Takes the one font that is wanted out of its wheel and removes the rest.
fn take_font(packages: &Path, root: &Path) -> Result<(), Error> {
    let wheel = packages.join("mplfonts");
    let font = "NotoSansCJKsc-Regular.otf";
    let from = wheel.join("fonts").join(font);
    let fonts = root.join("usr/share/fonts");
    fs::create_dir_all(&fonts).at("create", &fonts)?;
    let to = fonts.join(font);
    fs::rename(&from, &to).at("move", &from)?;
    remove_if_there(&wheel)?;
    for entry in fs::read_dir(packages).at("read", packages)?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // What a wheel says of itself must not name a package that cannot be imported.
        if name.starts_with("mplfonts-") || name == ".lock" {
            remove_if_there(&entry.path())?;
        }
    }
    // The scripts of packages cannot be executed inside.
    remove_if_there(&packages.join("bin"))
}

/// Compiles the bytecode of everything, with the paths as the inside sees them.
fn compile(name: &str, interpreter: &Interpreter, root: &Path) -> Result<(), Error> {
    let library = root.join(root::library(interpreter));
    let path = |path: &Path| path.display().to_string();
    // Some files of test suites are no valid Python on purpose, so the exit code says nothing.
    let arguments = ["-I", "-S", "-m", "compileall", "-q", "-j", "0", "-s"].map(str::to_owned);
    let arguments =
        arguments.into_iter().chain([path(root), "-p".into(), "/".into(), path(&library)]);
    let said = command::run(&interpreter.program, arguments, &mut |_| {})?;
    // A file that could not be written has a number of the system's, such as that of a full disk.
    let unwritten = said.stdout.lines().find(|line| line.contains("[Errno "));
    if unwritten.is_none() && library.join("__pycache__").is_dir() {
        return Ok(());
    }
    let reason = unwritten.or(said.stderr.last().map(String::as_str)).unwrap_or("").to_owned();
    Err(Error::Bytecode { environment: name.to_owned(), reason })
}

/// Name and digest of all that makes an environment what it is.
fn id(definition: &Definition, interpreter: &Interpreter) -> String {
    let mut digest = Sha256::new();
    for part in [
        FORMAT.to_string().as_str(),
        &definition.lock,
        definition::FONTS,
        &definition.preload.join(","),
        &interpreter.identity(),
    ] {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    format!("{}-{}", definition.name, digest::hex(&digest.finalize()[..DIGITS / 2]))
}

fn user_cache() -> Result<PathBuf, Error> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache"))).ok_or(Error::NoCache)
}

fn remove_if_there(path: &Path) -> Result<(), Error> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at("remove", path),
        _ => Ok(()),
    }
}

/// Bytes of all files below a path.
fn size(path: &Path) -> u64 {
    let Ok(facts) = fs::symlink_metadata(path) else { return 0 };
    if !facts.is_dir() {
        return facts.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size(&entry.path())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_belongs_to_the_environment_of_its_whole_name() {
        let id = "data-0123456789abcdef";
        assert_eq!(id_of(id, "data"), Some(id));
        assert_eq!(id_of(&format!(".{id}.lock"), "data"), Some(id));
        assert_eq!(id_of(&format!(".{id}.stage.42"), "data"), Some(id));
        for other in ["data-own-0123456789abcdef", "data-0123", "my-data-0123456789abcdef"] {
            assert_eq!(id_of(other, "data"), None, "{other}");
        }
        assert_eq!(id_of("data-own-0123456789abcdef", "data-own").map(str::len), Some(25));
    }

    #[test]
    fn a_damaged_manifest_is_no_environment() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("manifest.json"), "{").unwrap();
        assert_eq!(open_at(folder.path()), None);
    }
}
