//! Builds the launcher and the extension inside CPython, which the engine embeds.
//!
//! They are programs of their own, built by a nested cargo into a folder of its own, so that the
//! engine is one file whoever links it.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that the embedded objects are made of.
const SOURCES: [&str; 4] = ["zygote", "sandbox", "sys", "protocol"];

fn main() -> Result<(), Box<dyn Error>> {
    let workspace = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..");
    let target = PathBuf::from(env::var("OUT_DIR")?).join("embedded");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join("crates").join(source).display());
    }
    println!("cargo::rerun-if-changed={}", workspace.join("profiles").display());
    build(&workspace, &target)?;
    let built = target.join("embedded");
    println!("cargo::rustc-env=LAUNCHER={}", built.join("execute-python-launcher").display());
    println!("cargo::rustc-env=ZYGOTE={}", built.join("libexecute_python_zygote.so").display());
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a build script starts cargo, not a worker")]
fn build(workspace: &Path, target: &Path) -> Result<(), Box<dyn Error>> {
    let status = Command::new(env::var("CARGO")?)
        .current_dir(workspace)
        .args(["build", "--profile", "embedded", "--package", "execute-python-zygote"])
        .args(["--package", "execute-python-sandbox", "--lib", "--bins", "--target-dir"])
        .arg(target)
        // abi3: the extension is built against the stable interface, not against an interpreter.
        .env("PYO3_NO_PYTHON", "1")
        // What the outer build is told (coverage, sanitisers) is not meant for the inside.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .status()?;
    if status.success() { Ok(()) } else { Err("cannot build the embedded objects".into()) }
}
