//! What the operator set up, merged with the command line: the settings as meant.
//!
//! Later ones win: built-in defaults, the user's own file, `./execute-python.toml`, the command
//! line. A file that is named (`--config`, `$EXECUTE_PYTHON_CONFIG`) takes the place of both files.
//!
//! `./execute-python.toml` is not trusted like the others: whoever made the folder wrote it, and that
//! may be a guest, if its artifacts went there. So it may set limits, up to the ceiling, but nothing
//! that decides which program runs on the host, which packages run in the zygote (where not all
//! walls stand yet), where we write, or which walls stand.

mod file;
mod service;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use execute_python_engine::environment::Definition;
use execute_python_engine::protocol::{Ceiling, Limits, LimitsRequest, Waiver};
use execute_python_engine::{Config, ProgressSink};

use crate::args::Shared;
use crate::limits::default_above_ceiling;
use file::File;

/// The name of a settings file.
pub(crate) const FILE_NAME: &str = "execute-python.toml";

/// The settings as meant.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// The files that they came from.
    pub(crate) from: Vec<PathBuf>,
    /// What a run gets that asks for nothing.
    pub(crate) limits: Limits,
    /// The most that a run may ask for.
    pub(crate) ceiling: Ceiling,
    /// Walls that are given up.
    pub(crate) waived: Vec<Waiver>,
    /// The service.
    pub(crate) server: execute_python_server::Config,
    server_table: toml::Table,
    python: Option<PathBuf>,
    cache_dir: Option<PathBuf>,
    environments: Vec<Definition>,
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The file that was named is not there.
    #[error("there is no settings file `{}`", .path.display())]
    NotFound {
        /// As named.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A file says what is not understood.
    #[error("cannot understand `{}`, line {line}: {message}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// What.
        message: String,
    },
    /// A variable of the environment says what is not understood.
    #[error("cannot understand the variables `EXECUTE_PYTHON_SERVER__…`: {message}")]
    Variables {
        /// What.
        message: String,
    },
    /// The folder's own file sets what only the user may.
    #[error("`{}` may not set `{key}`, because it came with the folder", .path.display())]
    NotTrusted {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
    },
    /// A default cannot be had.
    #[error("the default of `limits.{field}` is above `ceiling.{field}`")]
    DefaultAboveCeiling {
        /// The limit.
        field: &'static str,
    },
}

impl Error {
    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Error::NotTrusted { path, .. } => {
                let own = own_file().unwrap_or_else(|| "a file of your own".into());
                Some(format!(
                    "set it in `{}`, or say `--config {}` if you trust the file",
                    own.display(),
                    path.display()
                ))
            }
            Error::DefaultAboveCeiling { .. } => {
                Some("raise the ceiling or lower the limit".into())
            }
            _ => None,
        }
    }
}

impl Settings {
    /// Reads the files and merges them with what every command takes.
    pub(crate) fn load(shared: &Shared) -> Result<Self, Error> {
        let mut settings = Settings::default();
        match shared.config.clone().or_else(|| env_path("EXECUTE_PYTHON_CONFIG")) {
            Some(path) => match read(&path)? {
                Some(file) => settings.take(&path, file)?,
                None => return Err(Error::NotFound { path }),
            },
            None => settings.take_found()?,
        }
        if let Some(named) = default_above_ceiling(&settings.limits, &settings.ceiling) {
            return Err(Error::DefaultAboveCeiling { field: named.field });
        }
        service::lay(&mut settings.server_table, service::variables(own_variables()));
        settings.server = service::config(settings.server_table.clone())?;
        settings.python = shared.python.clone().or(settings.python);
        settings.cache_dir = shared.cache_dir.clone().or(settings.cache_dir);
        Ok(settings)
    }

    /// Gives up more walls.
    pub(crate) fn waive(&mut self, layers: impl IntoIterator<Item = Waiver>) {
        self.waived.extend(layers);
        self.waived.sort_unstable();
        self.waived.dedup();
    }

    /// What the engine is set up with: no pool, because this process serves one run.
    pub(crate) fn config(self, progress: Option<ProgressSink>) -> Config {
        Config {
            cache_dir: self.cache_dir,
            python: self.python,
            limits: self.limits,
            ceiling: self.ceiling,
            pool: 0,
            waived: self.waived,
            environments: self.environments,
            progress,
            ..Config::default()
        }
    }

    fn take_found(&mut self) -> Result<(), Error> {
        if let Some(path) = own_file()
            && let Some(file) = read(&path)?
        {
            self.take(&path, file)?;
        }
        let path = PathBuf::from(FILE_NAME);
        if let Some(file) = read(&path)? {
            if let Some(key) = file.needs_trust() {
                return Err(Error::NotTrusted { path, key });
            }
            self.take(&path, file)?;
        }
        Ok(())
    }

    /// Lays one file over what is there. Paths in a file are relative to it.
    fn take(&mut self, path: &Path, file: File) -> Result<(), Error> {
        let folder = path.parent().unwrap_or(Path::new(""));
        service::lay(&mut self.server_table, file.server_table(folder));
        if let Some(python) = file.python {
            self.python = Some(program(folder, python));
        }
        if let Some(cache_dir) = file.cache_dir {
            self.cache_dir = Some(folder.join(cache_dir));
        }
        self.waive(file.waive);
        self.limits = overlaid(&self.limits, &file.limits.into());
        self.ceiling = Ceiling(overlaid(&self.ceiling.0, &file.ceiling.into()));
        for (name, environment) in file.environments {
            let definition = environment.definition(name, folder)?;
            self.environments.retain(|other| other.name != definition.name);
            self.environments.push(definition);
        }
        self.from.push(path.to_owned());
        Ok(())
    }
}

/// A program as a file names it: a mere name is looked for on the path, later.
fn program(folder: &Path, named: PathBuf) -> PathBuf {
    if named.components().count() == 1 { named } else { folder.join(named) }
}

/// The file, if it is there.
fn read(path: &Path) -> Result<Option<File>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => File::parse(&text, path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Unreadable { path: path.to_owned(), source }),
    }
}

/// The user's own settings file, there or not.
fn own_file() -> Option<PathBuf> {
    let folder = env_path("XDG_CONFIG_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(env::home_dir()?.join(".config")))?;
    Some(folder.join("execute-python").join(FILE_NAME))
}

/// The variables of the environment that are texts.
fn own_variables() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    env::vars_os().filter_map(text)
}

fn env_path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn overlaid(below: &Limits, above: &LimitsRequest) -> Limits {
    Limits {
        wall_time_ms: above.wall_time_ms.unwrap_or(below.wall_time_ms),
        cpu_time_ms: above.cpu_time_ms.unwrap_or(below.cpu_time_ms),
        memory_bytes: above.memory_bytes.unwrap_or(below.memory_bytes),
        threads: above.threads.unwrap_or(below.threads),
        disk_bytes: above.disk_bytes.unwrap_or(below.disk_bytes),
        files: above.files.unwrap_or(below.files),
        output_bytes: above.output_bytes.unwrap_or(below.output_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<Settings, Error> {
        let path = Path::new("/etc/x/execute-python.toml");
        let mut settings = Settings::default();
        settings.take(path, File::parse(text, path)?)?;
        Ok(settings)
    }

    #[test]
    fn a_file_changes_what_it_names_and_nothing_else() {
        let found =
            settings("[limits]\nmemory_bytes = '1GiB'\n[ceiling]\nthreads = 1_000\n").unwrap();
        assert_eq!(found.limits, Limits { memory_bytes: 1 << 30, ..Limits::default() });
        let ceiling = Limits { threads: 1_000, ..Ceiling::default().0 };
        assert_eq!(found.ceiling, Ceiling(ceiling));
    }

    #[test]
    fn paths_in_a_file_are_relative_to_it() {
        let found = settings("python = 'bin/python'\ncache_dir = '/cache'").unwrap();
        assert_eq!(found.python.unwrap(), Path::new("/etc/x/bin/python"));
        assert_eq!(found.cache_dir.unwrap(), Path::new("/cache"));
    }

    #[test]
    fn what_is_not_understood_is_told_with_its_line() {
        let error = settings("waive = []\n\nsandbox = 'off'").unwrap_err();
        let told = error.to_string();
        assert!(
            told.starts_with(
                "cannot understand `/etc/x/execute-python.toml`, line 3: unknown field `sandbox`"
            ),
            "{told}"
        );
    }

    #[test]
    fn a_wall_that_does_not_exist_cannot_be_waived() {
        let error = settings("waive = ['seccomp']").unwrap_err();
        assert!(error.to_string().contains("unknown variant `seccomp`"), "{error}");
    }
}
