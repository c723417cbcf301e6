//! The limits as people name them: one table for flags, settings and messages.

use execute_python_engine::protocol::{Ceiling, LimitError, Limits};

use crate::units::Unit;

/// One limit, in every way it is named.
#[derive(Debug)]
pub(crate) struct Named {
    /// The field of [`Limits`].
    pub(crate) field: &'static str,
    /// In a sentence.
    words: &'static str,
    /// On the command line.
    flag: &'static str,
    /// What its number counts.
    unit: Unit,
    /// Its value.
    value: fn(&Limits) -> u64,
}

const NAMED: [Named; 7] = [
    Named {
        field: "wall_time_ms",
        words: "wall time",
        flag: "--wall-time",
        unit: Unit::Duration,
        value: |limits| limits.wall_time_ms,
    },
    Named {
        field: "cpu_time_ms",
        words: "cpu time",
        flag: "--cpu-time",
        unit: Unit::Duration,
        value: |limits| limits.cpu_time_ms,
    },
    Named {
        field: "memory_bytes",
        words: "memory",
        flag: "--memory",
        unit: Unit::Size,
        value: |limits| limits.memory_bytes,
    },
    Named {
        field: "threads",
        words: "number of threads",
        flag: "--threads",
        unit: Unit::Count,
        value: |limits| limits.threads,
    },
    Named {
        field: "disk_bytes",
        words: "disk",
        flag: "--disk",
        unit: Unit::Size,
        value: |limits| limits.disk_bytes,
    },
    Named {
        field: "files",
        words: "number of files",
        flag: "--files",
        unit: Unit::Count,
        value: |limits| limits.files,
    },
    Named {
        field: "output_bytes",
        words: "output",
        flag: "--output",
        unit: Unit::Size,
        value: |limits| limits.output_bytes,
    },
];

/// What is wrong with a limit, with its units.
pub(crate) fn message(error: &LimitError) -> String {
    match error {
        LimitError::AboveCeiling { name, asked, ceiling } => {
            let (words, unit) = words(name);
            format!(
                "{words} {} is above the ceiling of {}",
                unit.exact(*asked),
                unit.exact(*ceiling)
            )
        }
        LimitError::TooSmall { name, asked, least } => {
            let (words, unit) = words(name);
            format!(
                "{words} {} is below the least possible, {}",
                unit.exact(*asked),
                unit.exact(*least)
            )
        }
    }
}

/// What to do about it.
pub(crate) fn hint(error: &LimitError) -> String {
    match error {
        LimitError::AboveCeiling { name, ceiling, .. } => {
            let (flag, unit) = flag(name);
            let most = unit.typed(*ceiling);
            format!("use `{flag} {most}`, or raise `ceiling.{name}` in the settings")
        }
        LimitError::TooSmall { name, least, .. } => {
            let (flag, unit) = flag(name);
            format!("use `{flag} {}` or more", unit.typed(*least))
        }
    }
}

/// The first default that is above its ceiling.
pub(crate) fn default_above_ceiling(default: &Limits, ceiling: &Ceiling) -> Option<&'static Named> {
    NAMED.iter().find(|named| (named.value)(default) > (named.value)(&ceiling.0))
}

fn named(field: &str) -> Option<&'static Named> {
    NAMED.iter().find(|named| named.field == field)
}

fn words(field: &'static str) -> (&'static str, Unit) {
    named(field).map_or((field, Unit::Count), |named| (named.words, named.unit))
}

fn flag(field: &'static str) -> (&'static str, Unit) {
    named(field).map_or((field, Unit::Count), |named| (named.flag, named.unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_in_the_table() {
        let fields = serde_json::to_value(Limits::default()).unwrap();
        let fields = fields.as_object().unwrap();
        for (field, value) in fields {
            let named = named(field).expect(field);
            assert_eq!((named.value)(&Limits::default()), value.as_u64().unwrap(), "{field}");
        }
        assert_eq!(fields.len(), NAMED.len());
    }

    #[test]
    fn a_limit_above_its_ceiling_is_told_with_units_and_with_what_to_type() {
        let error =
            LimitError::AboveCeiling { name: "memory_bytes", asked: 4 << 30, ceiling: 2 << 30 };
        assert_eq!(message(&error), "memory 4 GiB is above the ceiling of 2 GiB");
        assert_eq!(
            hint(&error),
            "use `--memory 2GiB`, or raise `ceiling.memory_bytes` in the settings"
        );
    }

    #[test]
    fn a_limit_that_is_too_small_is_told_with_units_and_with_what_to_type() {
        let error = LimitError::TooSmall { name: "wall_time_ms", asked: 0, least: 1 };
        assert_eq!(message(&error), "wall time 0 ms is below the least possible, 1 ms");
        assert_eq!(hint(&error), "use `--wall-time 1ms` or more");
    }
}
