//! `--json`: the whole outcome on standard output, and nothing else.

use serde_json::{Value, json};

use crate::support::Folder;

fn outcome(run: snapbox::cmd::Command, code: i32) -> Value {
    let ended = run.output().unwrap();
    assert_eq!(ended.status.code(), Some(code));
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
    let text = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_outcome_is_one_line() {
    let folder = Folder::new();
    let outcome =
        outcome(folder.execute_python(["run", "--json", "-c", "print('a\\nb'); 6 * 7"]), 0);
    assert_eq!(outcome["status"], "ok");
    assert_eq!(outcome["stdout"]["text"], "a\nb\n");
    assert_eq!(outcome["value"]["data"]["text/plain"], "42");
}

#[test]
fn the_status_tells_an_exit_code_of_the_program_from_one_of_ours() {
    let folder = Folder::new();
    let outcome =
        outcome(folder.execute_python(["run", "--json", "-c", "raise SystemExit(125)"]), 125);
    assert_eq!((&outcome["status"], &outcome["exit_code"]), (&json!("exited"), &json!(125)));
}

#[test]
fn artifacts_are_in_the_outcome() {
    let folder = Folder::new();
    let code = "open('a.txt', 'w').write('hello')";
    let outcome = outcome(folder.execute_python(["run", "--json", "-c", code]), 0);
    assert_eq!(outcome["artifacts"][0]["path"], "a.txt");
    assert_eq!(outcome["artifacts"][0]["content"], "aGVsbG8=");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn artifacts_go_to_a_folder_that_is_named() {
    let folder = Folder::new();
    let code = "open('a.txt', 'w').write('hello')";
    let outcome = outcome(folder.execute_python(["run", "--json", "--out", "out", "-c", code]), 0);
    assert_eq!(outcome["artifacts"][0]["path"], "a.txt");
    assert_eq!(outcome["artifacts"][0].get("content"), None);
    assert_eq!(folder.names(), ["out", "out/a.txt"]);
}
