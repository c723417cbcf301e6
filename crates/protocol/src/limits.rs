//! What a run may use, and what it did use: the same names for both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run may use. [`Limits::default`] gives what a run gets that asks for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Time on the clock from the first instruction of the code, in milliseconds.
    pub wall_time_ms: u64,
    /// Processor time of all threads together, in milliseconds.
    pub cpu_time_ms: u64,
    /// Memory on top of what the warm interpreter shares with every run, in bytes.
    pub memory_bytes: u64,
    /// Threads that exist at one time, the main thread included.
    pub threads: u64,
    /// Bytes of all files in the work folder and the temporary folder together.
    pub disk_bytes: u64,
    /// Files and folders that exist at one time, those of the sandbox itself included.
    pub files: u64,
    /// Bytes kept of each of stdout and stderr; what is beyond is counted and left out.
    pub output_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_time_ms: 5_000,
            cpu_time_ms: 5_000,
            memory_bytes: 256 << 20,
            threads: 32,
            disk_bytes: 64 << 20,
            files: 1_000,
            output_bytes: 1 << 20,
        }
    }
}

/// The most that a request may ask for; the operator sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Ceiling(pub Limits);

impl Default for Ceiling {
    fn default() -> Self {
        Self(Limits {
            wall_time_ms: 300_000,
            cpu_time_ms: 300_000,
            memory_bytes: 4 << 30,
            threads: 256,
            disk_bytes: 1 << 30,
            files: 100_000,
            output_bytes: 16 << 20,
        })
    }
}

/// The limits that a request names; what it leaves out is the operator's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsRequest {
    /// See [`Limits::wall_time_ms`].
    pub wall_time_ms: Option<u64>,
    /// See [`Limits::cpu_time_ms`].
    pub cpu_time_ms: Option<u64>,
    /// See [`Limits::memory_bytes`].
    pub memory_bytes: Option<u64>,
    /// See [`Limits::threads`].
    pub threads: Option<u64>,
    /// See [`Limits::disk_bytes`].
    pub disk_bytes: Option<u64>,
    /// See [`Limits::files`].
    pub files: Option<u64>,
    /// See [`Limits::output_bytes`].
    pub output_bytes: Option<u64>,
}

/// A limit that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// The request asks for more than the operator allows.
    #[error("{name} {asked} is above the ceiling of {ceiling}")]
    AboveCeiling {
        /// The field, such as `memory_bytes`.
        name: &'static str,
        /// What the request asks for, in the field's unit.
        asked: u64,
        /// What the operator allows, in the field's unit.
        ceiling: u64,
    },
    /// The value is too small for any program to start.
    #[error("{name} {asked} is below the least possible, {least}")]
    TooSmall {
        /// The field, such as `memory_bytes`.
        name: &'static str,
        /// What the request asks for, in the field's unit.
        asked: u64,
        /// The least that works, in the field's unit.
        least: u64,
    },
}

impl LimitsRequest {
    /// The limits of a run: what is asked for, else the default, each checked against the ceiling.
    pub fn resolve(&self, default: &Limits, ceiling: &Ceiling) -> Result<Limits, LimitError> {
        let most = &ceiling.0;
        let pick = |name, asked: Option<u64>, default: u64, most: u64, least: u64| match asked {
            None => Ok(default),
            Some(asked) if asked > most => {
                Err(LimitError::AboveCeiling { name, asked, ceiling: most })
            }
            Some(asked) if asked < least => Err(LimitError::TooSmall { name, asked, least }),
            Some(asked) => Ok(asked),
        };
        Ok(Limits {
            wall_time_ms: pick(
                "wall_time_ms",
                self.wall_time_ms,
                default.wall_time_ms,
                most.wall_time_ms,
                1,
            )?,
            cpu_time_ms: pick(
                "cpu_time_ms",
                self.cpu_time_ms,
                default.cpu_time_ms,
                most.cpu_time_ms,
                1,
            )?,
            memory_bytes: pick(
                "memory_bytes",
                self.memory_bytes,
                default.memory_bytes,
                most.memory_bytes,
                16 << 20,
            )?,
            threads: pick("threads", self.threads, default.threads, most.threads, 1)?,
            disk_bytes: pick(
                "disk_bytes",
                self.disk_bytes,
                default.disk_bytes,
                most.disk_bytes,
                64 << 10,
            )?,
            files: pick("files", self.files, default.files, most.files, 16)?,
            output_bytes: pick(
                "output_bytes",
                self.output_bytes,
                default.output_bytes,
                most.output_bytes,
                0,
            )?,
        })
    }
}

/// What a run used, under the names of [`Limits`]; measured by the engine, never by the guest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Time on the clock from handing the code over to the end, in milliseconds.
    pub wall_time_ms: f64,
    /// Processor time of all threads together, in milliseconds.
    pub cpu_time_ms: f64,
    /// The highest memory use on top of what is shared, in bytes, files of the run included.
    pub memory_bytes: u64,
    /// The most threads seen at one time, where the kernel counts them.
    pub threads: Option<u64>,
    /// Bytes of all files at the end.
    pub disk_bytes: u64,
    /// Files and folders at the end.
    pub files: u64,
    /// Bytes written to stdout and stderr together, those left out included.
    pub output_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_names_nothing_gets_the_defaults() {
        let resolved = LimitsRequest::default().resolve(&Limits::default(), &Ceiling::default());
        assert_eq!(resolved, Ok(Limits::default()));
    }

    #[test]
    fn a_limit_above_its_ceiling_is_refused_with_both_values() {
        let asked = LimitsRequest { memory_bytes: Some(8 << 30), ..LimitsRequest::default() };
        let resolved = asked.resolve(&Limits::default(), &Ceiling::default());
        assert_eq!(
            resolved,
            Err(LimitError::AboveCeiling {
                name: "memory_bytes",
                asked: 8 << 30,
                ceiling: 4 << 30
            })
        );
    }

    #[test]
    fn a_limit_that_no_program_could_start_with_is_refused() {
        let asked = LimitsRequest { threads: Some(0), ..LimitsRequest::default() };
        let resolved = asked.resolve(&Limits::default(), &Ceiling::default());
        assert_eq!(resolved, Err(LimitError::TooSmall { name: "threads", asked: 0, least: 1 }));
    }
}
