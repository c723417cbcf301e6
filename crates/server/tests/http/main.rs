//! The service as a client meets it: a real one on a free port of the loopback.
//!
//! `EXECUTE_PYTHON_TEST_CACHE` names the cache whose environments are used; else it is the user's.

#![expect(clippy::unwrap_used, reason = "what a test cannot have ends the test")]

mod background;
mod bad_input;
mod files;
mod keys;
mod operation;
mod postgres;
mod records;
mod reference;
mod runs;
mod sessions;
mod socket;
mod support;

#[test]
fn no_file_of_tests_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http");
    let modules = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let stem = name.strip_suffix(".rs").unwrap_or(&name);
        assert!(stem == "main" || modules.contains(&format!("mod {stem};")), "{name}");
    }
}
