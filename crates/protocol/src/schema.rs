//! The JSON Schemas of what crosses the boundary, generated from the types.

use schemars::{Schema, schema_for};

use crate::{Event, Outcome, Request, SessionOptions};

/// The schemas, each with the name of its file without ending.
pub fn schemas() -> [(&'static str, Schema); 4] {
    [
        ("request", schema_for!(Request)),
        ("outcome", schema_for!(Outcome)),
        ("event", schema_for!(Event)),
        ("session", schema_for!(SessionOptions)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Set `UPDATE_SCHEMAS=1` to write the files anew.
    #[test]
    fn the_checked_in_schemas_are_those_of_the_types() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");
        for (name, schema) in schemas() {
            let path = format!("{dir}/{name}.json");
            let fresh = serde_json::to_string_pretty(&schema).unwrap() + "\n";
            if std::env::var_os("UPDATE_SCHEMAS").is_some() {
                std::fs::create_dir_all(dir).unwrap();
                std::fs::write(&path, &fresh).unwrap();
            }
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(kept, fresh, "{path} is stale: run the tests with UPDATE_SCHEMAS=1");
        }
    }
}
