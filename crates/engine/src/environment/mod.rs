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

/// Part of every id: a change of what a build makes is a new number.
const FORMAT: u32 = 2;

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
        fs::create_dir_all(&cache).at("create", &cache)?;
        let mut definitions = definition::built_in();
        for own in &config.environments {
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
        open_at(name, &self.folder().join(id(definition, &interpreter)))
    }

    /// Builds the environment of this name, unless somebody else just did.
    pub(crate) fn build(&self, name: &str) -> Result<Environment, Error> {
        let definition = self.definition(name)?;
        let interpreter = self.interpreter(definition)?;
        let id = id(definition, &interpreter);
        let folder = self.folder();
        fs::create_dir_all(&folder).at("create", &folder)?;
        let lock = folder.join(format!(".{id}.lock"));
        let file = fs::File::create(&lock).at("create", &lock)?;
        file.lock().at("lock", &lock)?;
        let place = folder.join(&id);
        if let Some(environment) = open_at(name, &place)? {
            return Ok(environment);
        }
        let stage = folder.join(format!(".{id}.stage"));
        // The lock is held, so whoever left this behind is gone.
        remove_if_there(&stage)?;
        let built = self.build_at(&stage, definition, &interpreter, &id);
        if built.is_err() {
            fs::remove_dir_all(&stage).ok();
        }
        let environment = built?;
        fs::rename(&stage, &place).at("create", &place)?;
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
            let tools = self.cache.join("tools");
            let lock = format!("{}\n{}", definition.lock, definition::FONTS);
            packages::install(name, interpreter, &lock, &packages, &tools, &mut |line| {
                tell(2, "installing packages", Some(line));
            })?;
            take_font(&packages, &root)?;
        }
        root::write(&root.join(root::OURS).join("matplotlibrc"), MATPLOTLIBRC.as_bytes())?;
        tell(3, "copying shared libraries", None);
        root::libraries(&root, interpreter)?;
        tell(4, "compiling bytecode", None);
        compile(name, interpreter, &root)?;
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
                let built = self.open(&definition.name)?;
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
        let mut freed = 0;
        let begins = format!("{name}-");
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let entry_name = entry.file_name().to_string_lossy().into_owned();
            let rest = entry_name.trim_start_matches('.').strip_prefix(&begins);
            if rest.is_some_and(|rest| !rest.contains('-')) {
                freed += size(&entry.path());
                remove_if_there(&entry.path())?;
            }
        }
        Ok(freed)
    }
}

/// Text that the first font lacks comes from the second: only names of fonts fall back to each other,
/// not those of a generic family.
const MATPLOTLIBRC: &str = "\
font.family: DejaVu Sans, Noto Sans CJK SC
";

/// The environment in this folder, if it is complete.
fn open_at(name: &str, folder: &Path) -> Result<Option<Environment>, Error> {
    let Ok(text) = fs::read(folder.join("manifest.json")) else { return Ok(None) };
    let environment: Environment = serde_json::from_slice(&text)
        .map_err(|source| Error::Manifest { environment: name.to_owned(), source })?;
    Ok(Some(Environment { root: folder.join("root"), ..environment }))
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
    if library.join("__pycache__").is_dir() {
        return Ok(());
    }
    let reason = said.stderr.last().cloned().unwrap_or_default();
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
    format!("{}-{}", definition.name, digest::hex(&digest.finalize()[..8]))
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
