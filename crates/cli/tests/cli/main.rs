//! The command line as a user meets it: the built program, run for real.
//!
//! `EXECUTE_PYTHON_TEST_CACHE` names the cache whose environments are used; else it is the user's.
//! `SNAPSHOTS=overwrite` writes the expected texts anew.

#![expect(clippy::unwrap_used, reason = "what a test cannot have ends the test")]
#![expect(clippy::needless_raw_string_hashes, reason = "snapbox writes expected texts with them")]

mod artifacts;
mod bad_input;
mod environments;
mod exit_codes;
mod interrupt;
mod json;
mod layers;
mod notebook;
mod owned;
mod service;
mod settings;
mod streams;
mod support;
mod terminal;

#[test]
fn no_file_of_tests_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli");
    let modules = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let stem = name.strip_suffix(".rs").unwrap_or(&name);
        assert!(stem == "main" || modules.contains(&format!("mod {stem};")), "{name}");
    }
}
