//! The engine on the real kernel, with real environments.

#![expect(clippy::unwrap_used, reason = "tests")]

mod common;
mod cpython;
mod endings;
mod escape;
mod histories;
mod hostile;
mod interpreters;
mod library;
mod monitor;
mod programs;
mod remains;
mod rootless;
mod sessions;
mod tools;

/// A test file that is not named above would silently not run.
#[test]
fn no_test_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all");
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name}");
    }
}
