//! The table `server` of the settings, from files and from variables of the environment.
//!
//! A variable names a key of the table by its path, with two underscores between:
//! `EXECUTE_PYTHON_SERVER__QUOTA__SESSIONS=5` is `server.quota.sessions = 5`.

use execute_python_server::Config;
use serde::Deserialize as _;
use toml::{Table, Value};

use super::Error;

/// How the variables begin.
const PREFIX: &str = "EXECUTE_PYTHON_SERVER__";

/// The table `server` of a settings file that is known to be right.
pub(super) fn table(text: &str) -> Table {
    let whole: Table = text.parse().unwrap_or_default();
    whole.get("server").and_then(Value::as_table).cloned().unwrap_or_default()
}

/// Lays one table over another: what both have is the upper one's.
pub(super) fn lay(over: &mut Table, upper: Table) {
    for (key, value) in upper {
        match (over.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay(below, above),
            (_, value) => drop(over.insert(key, value)),
        }
    }
}

/// What the variables of the environment say.
pub(super) fn variables(all: impl Iterator<Item = (String, String)>) -> Table {
    let mut found = Table::new();
    for (name, text) in all {
        let Some(path) = name.strip_prefix(PREFIX) else { continue };
        let path = path.to_ascii_lowercase();
        let value = path.rsplit("__").fold(value(&text), |value, key| {
            Value::Table(Table::from_iter([(key.to_owned(), value)]))
        });
        if let Value::Table(one) = value {
            lay(&mut found, one);
        }
    }
    found
}

/// A value as a settings file would write it, or else a text.
fn value(text: &str) -> Value {
    let table = format!("value = {text}").parse::<Table>();
    let value = table.ok().filter(|table| table.len() == 1);
    value.and_then(|mut table| table.remove("value")).unwrap_or_else(|| text.into())
}

/// The configuration that a table means.
pub(super) fn config(table: Table) -> Result<Config, Error> {
    Config::deserialize(Value::Table(table))
        .map_err(|error| Error::Variables { message: error.message().replace('\n', " ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(variables: &[(&str, &str)]) -> Result<Config, Error> {
        let mut below = table("[server]\npool = 9\n[server.quota]\nsessions = 1\n");
        let owned = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        lay(&mut below, super::variables(owned));
        config(below)
    }

    #[test]
    fn a_variable_is_laid_over_the_file_by_its_path() {
        let config = set(&[
            ("EXECUTE_PYTHON_SERVER__LISTEN", "0.0.0.0:80"),
            ("EXECUTE_PYTHON_SERVER__ORIGINS", "['https://a.example']"),
            ("EXECUTE_PYTHON_SERVER__QUOTA__RUNS_PER_MINUTE", "7"),
            ("EXECUTE_PYTHON_SERVER__RECORDS__CODE", "true"),
            ("EXECUTE_PYTHON_OTHER", "x"),
        ])
        .unwrap();
        assert_eq!(config.listen.to_string(), "0.0.0.0:80");
        assert_eq!(config.origins, ["https://a.example"]);
        assert_eq!((config.quota.sessions, config.quota.runs_per_minute), (Some(1), Some(7)));
        assert!(config.records.code);
        assert_eq!(config.pool, 9);
    }

    #[test]
    fn a_variable_that_names_nothing_is_refused() {
        let error = set(&[("EXECUTE_PYTHON_SERVER__NONSENSE", "1")]).unwrap_err().to_string();
        assert!(error.contains("unknown field `nonsense`"), "{error}");
        let error = set(&[("EXECUTE_PYTHON_SERVER__POOL", "many")]).unwrap_err().to_string();
        assert!(error.contains("expected usize"), "{error}");
    }
}
