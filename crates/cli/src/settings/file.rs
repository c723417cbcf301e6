//! The settings file as written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use execute_python_engine::environment::Definition;
use execute_python_engine::protocol::{LimitsRequest, Waiver};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{Error, program, service};
use crate::units::{parse_duration, parse_size};

/// A settings file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct File {
    /// The interpreter to build environments from.
    pub(super) python: Option<PathBuf>,
    /// Where environments are kept.
    pub(super) cache_dir: Option<PathBuf>,
    /// Walls that are given up.
    pub(super) waive: Vec<Waiver>,
    /// What a run gets that asks for nothing.
    pub(super) limits: Limits,
    /// The most that a run may ask for.
    pub(super) ceiling: Limits,
    /// The service.
    server: Option<execute_python_server::Config>,
    /// The same as it is written, to be laid over others.
    #[serde(skip)]
    server_table: toml::Table,
    /// The operator's own environments, by name.
    pub(super) environments: BTreeMap<String, Environment>,
}

/// Limits under the names of the protocol; sizes and durations may be texts with units.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Limits {
    wall_time_ms: Option<Time>,
    cpu_time_ms: Option<Time>,
    memory_bytes: Option<Size>,
    threads: Option<u64>,
    disk_bytes: Option<Size>,
    files: Option<u64>,
    output_bytes: Option<Size>,
}

impl From<Limits> for LimitsRequest {
    fn from(limits: Limits) -> Self {
        Self {
            wall_time_ms: limits.wall_time_ms.map(|time| time.0),
            cpu_time_ms: limits.cpu_time_ms.map(|time| time.0),
            memory_bytes: limits.memory_bytes.map(|size| size.0),
            threads: limits.threads,
            disk_bytes: limits.disk_bytes.map(|size| size.0),
            files: limits.files,
            output_bytes: limits.output_bytes.map(|size| size.0),
        }
    }
}

/// An environment of the operator's own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Environment {
    /// A requirements file with hashes, relative to the settings; none for no packages.
    lock: Option<PathBuf>,
    /// Modules that choose this environment when code imports them.
    #[serde(default)]
    provides: Vec<String>,
    /// Modules that its interpreter imports before the first run.
    #[serde(default)]
    preload: Vec<String>,
    /// The interpreter, where it is not that of the other environments.
    python: Option<PathBuf>,
}

impl File {
    /// Reads the text of the file at `path`.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let parsed: Result<Self, _> = toml::from_str(text);
        let file = parsed.map_err(|error| Error::Syntax {
            path: path.to_owned(),
            line: error.span().map_or(1, |span| line_at(text, span.start)),
            message: error.message().replace('\n', " "),
        })?;
        Ok(Self { server_table: service::table(text), ..file })
    }

    /// The table of the service; its paths are relative to `folder`.
    pub(super) fn server_table(&self, folder: &Path) -> toml::Table {
        let mut table = self.server_table.clone();
        let in_folder = |value: &mut toml::Value| {
            if let toml::Value::String(path) = value {
                *path = folder.join(&*path).display().to_string();
            }
        };
        if let Some(path) = table.get_mut("data_dir") {
            in_folder(path);
        }
        if let Some(toml::Value::Table(tls)) = table.get_mut("tls") {
            tls.iter_mut().for_each(|(_, path)| in_folder(path));
        }
        table
    }

    /// The first key that a file nobody vouched for may not set.
    pub(super) fn needs_trust(&self) -> Option<&'static str> {
        [
            ("python", self.python.is_some()),
            ("cache_dir", self.cache_dir.is_some()),
            ("waive", !self.waive.is_empty()),
            ("ceiling", self.ceiling != Limits::default()),
            ("server", self.server.is_some()),
            ("environments", !self.environments.is_empty()),
        ]
        .into_iter()
        .find_map(|(key, set)| set.then_some(key))
    }
}

impl Environment {
    /// The definition that the engine takes; its paths are relative to `folder`.
    pub(super) fn definition(self, name: String, folder: &Path) -> Result<Definition, Error> {
        let lock = match self.lock.map(|lock| folder.join(lock)) {
            None => String::new(),
            Some(path) => match fs::read_to_string(&path) {
                Ok(text) => text,
                Err(source) => return Err(Error::Unreadable { path, source }),
            },
        };
        let python = self.python.map(|python| program(folder, python));
        Ok(Definition { name, lock, provides: self.provides, preload: self.preload, python })
    }
}

/// Bytes.
#[derive(Debug, PartialEq)]
struct Size(u64);

/// Milliseconds.
#[derive(Debug, PartialEq)]
struct Time(u64);

/// A plain number, or a text with a unit.
#[derive(Deserialize)]
#[serde(untagged, expecting = "neither a whole number nor a text with a unit")]
enum Amount {
    Number(u64),
    Text(String),
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Amount::deserialize(deserializer)? {
            Amount::Number(bytes) => Ok(Self(bytes)),
            Amount::Text(text) => parse_size(&text).map(Self).map_err(D::Error::custom),
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Amount::deserialize(deserializer)? {
            Amount::Number(ms) => Ok(Self(ms)),
            Amount::Text(text) => parse_duration(&text).map(Self).map_err(D::Error::custom),
        }
    }
}

fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<File, Error> {
        File::parse(text, Path::new("x.toml"))
    }

    #[test]
    fn limits_are_numbers_or_texts_with_units() {
        let text = "limits = { memory_bytes = 1024, disk_bytes = '1KiB', wall_time_ms = '2s' }";
        let limits = LimitsRequest::from(parse(text).unwrap().limits);
        assert_eq!(
            limits,
            LimitsRequest {
                memory_bytes: Some(1024),
                disk_bytes: Some(1024),
                wall_time_ms: Some(2_000),
                ..LimitsRequest::default()
            }
        );
    }

    #[test]
    fn a_limit_that_is_no_amount_is_refused_with_a_reason() {
        let error = parse("limits.memory_bytes = 'much'").unwrap_err().to_string();
        assert!(error.contains("say a size such as `256MiB`"), "{error}");
        let error = parse("limits.memory_bytes = -1").unwrap_err().to_string();
        assert!(error.contains("neither a whole number nor a text with a unit"), "{error}");
    }

    #[test]
    fn what_touches_the_host_or_the_walls_needs_trust() {
        for text in [
            "python = 'x'",
            "cache_dir = 'x'",
            "waive = ['cgroup']",
            "ceiling.threads = 1",
            "server.origins = ['https://evil.example']",
            "environments.x.preload = ['x']",
        ] {
            let key = text.split([' ', '.']).next();
            assert_eq!(parse(text).unwrap().needs_trust(), key);
        }
        assert_eq!(parse("limits.threads = 1").unwrap().needs_trust(), None);
    }
}
