//! The arrows between the crates go one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Which crates of ours each crate may use.
const ALLOWED: [(&str, &[&str]); 9] = [
    ("protocol", &[]),
    ("check", &["protocol"]),
    ("sys", &[]),
    ("sandbox", &["protocol", "sys"]),
    ("zygote", &["sandbox", "protocol", "sys"]),
    ("engine", &["check", "sandbox", "protocol", "sys"]),
    ("mcp", &["engine"]),
    ("server", &["engine", "mcp"]),
    ("cli", &["check", "engine", "mcp", "protocol", "sandbox", "server", "sys"]),
];

/// The crate in which each of these libraries has its one home.
const HOMES: [(&str, &[&str]); 7] = [
    ("pyo3", &["zygote"]),
    ("clap", &["cli"]),
    ("landlock", &["sandbox"]),
    ("axum", &["server"]),
    ("sqlx", &["server"]),
    ("rmcp", &["mcp"]),
    ("tokio", &["engine", "mcp", "server", "cli"]),
];

/// The dependencies of each crate, those of its tests left out.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let entries = fs::read_dir(CRATES).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|folder| {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            let manifest: toml::Table = text.parse().unwrap();
            let listed = manifest.get("dependencies").and_then(toml::Value::as_table);
            (name, listed.into_iter().flat_map(toml::Table::keys).cloned().collect())
        })
        .collect()
}

#[test]
fn no_crate_uses_one_that_it_may_not() {
    let found = dependencies();
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    let mut known: Vec<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(names, known);
    for (name, allowed) in ALLOWED {
        let ours = found[name].iter().filter_map(|used| used.strip_prefix("execute-python-"));
        for used in ours {
            assert!(allowed.contains(&used), "{name} uses {used}");
        }
    }
}

#[test]
fn each_outside_thing_has_one_home() {
    let found = dependencies();
    for (library, homes) in HOMES {
        for (name, used) in &found {
            let at_home = homes.contains(&name.as_str());
            assert!(at_home || !used.contains(library), "{name} uses {library}");
        }
    }
}

#[test]
fn no_file_is_longer_than_can_be_read_at_once() {
    let mut folders = vec![Path::new(CRATES).to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code =
                    text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
                // A table of names and numbers is not read from top to bottom.
                assert!(
                    code <= 500 || path.ends_with("table.rs"),
                    "{}: {code} lines",
                    path.display()
                );
            }
        }
    }
}
