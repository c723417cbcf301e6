//! A service that belongs to the program that started it.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use snapbox::str;

use crate::support::{Folder, Streams};

#[test]
fn an_owned_service_tells_its_owner_address_and_key_and_ends_with_its_input() {
    let folder = Folder::new();
    // Its standard input is at its end from the beginning, as that of an owner who died at once.
    let streams = Streams { stdout: Stdio::piped(), stderr: Stdio::inherit() };
    let mut service = folder.start(["serve", "--owned"], streams);
    let mut told = String::new();
    BufReader::new(service.stdout.take().unwrap()).read_line(&mut told).unwrap();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert!(told["url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{told}");
    assert!(told["key"].as_str().unwrap().starts_with("epk_"), "{told}");
    assert!(service.wait().unwrap().success());
}

#[test]
fn an_owned_service_keeps_nothing_and_listens_where_it_likes() {
    let folder = Folder::new();
    for argument in ["--listen=127.0.0.1:1", "--data-dir=x", "--database=sqlite::memory:"] {
        folder.execute_python(["serve", "--owned", argument]).assert().code(2);
    }
}

#[test]
fn the_kernel_needs_the_package() {
    let folder = Folder::new();
    let command = folder.execute_python(["kernel", "--install"]).env("PATH", "/nowhere");
    command.assert().code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: the Python package `execute-python` is not installed
hint: pip install 'execute-python[jupyter]'

"#]]);
}
