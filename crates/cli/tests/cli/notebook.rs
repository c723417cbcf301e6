//! Notebooks that are run, and what is written back into them.

use std::fs;

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Folder;

/// A notebook with these cells of code, each with its tags.
fn notebook(cells: &[(&str, &[&str])]) -> String {
    let cells = cells.iter().map(|(source, tags)| {
        json!({
            "cell_type": "code", "id": "x", "metadata": { "tags": tags }, "source": source,
            "execution_count": 9, "outputs": [{ "output_type": "stream", "name": "stdout", "text": "old" }],
        })
    });
    let text =
        json!({ "cell_type": "markdown", "id": "t", "metadata": {}, "source": ["# A\n", "b"] });
    let cells: Vec<Value> = std::iter::once(text).chain(cells).collect();
    json!({ "nbformat": 4, "nbformat_minor": 5, "metadata": { "mine": 1 }, "cells": cells })
        .to_string()
}

fn written(folder: &Folder) -> Value {
    serde_json::from_slice(&fs::read(folder.path().join("a.ipynb")).unwrap()).unwrap()
}

#[test]
fn the_cells_of_a_notebook_share_their_variables_and_get_their_outputs() {
    let cells = notebook(&[("x = 20\nprint('a\\nb')", &[]), ("", &[]), ("x + 1", &[])]);
    let folder = Folder::new().with("a.ipynb", cells);
    let run = folder.execute_python(["run", "a.ipynb"]).assert();
    run.code(0).stdout_eq("a\nb\n21\n").stderr_eq(str![[r#"
ok: cell 1: done in [WALL] (cpu [CPU], memory peak [PEAK])
ok: cell 2: done in [WALL] (cpu [CPU], memory peak [PEAK])

"#]]);
    let written = written(&folder);
    assert_eq!(written["metadata"], json!({ "mine": 1 }));
    assert_eq!(written["cells"][0]["source"], json!(["# A\n", "b"]));
    let outputs = |cell: usize| &written["cells"][cell]["outputs"];
    let stream = json!({ "output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"] });
    assert_eq!(outputs(1), &json!([stream]));
    let value = json!({ "text/plain": ["21"] });
    let result = json!({
        "output_type": "execute_result", "execution_count": 2, "metadata": {}, "data": value,
    });
    assert_eq!(outputs(3), &json!([result]));
    assert_eq!(written["cells"][3]["execution_count"], 2);
}

#[test]
fn a_notebook_stops_at_the_first_cell_that_fails_unless_that_may() {
    let cells = notebook(&[("1/0", &["raises-exception"]), ("1/0", &[]), ("print('never')", &[])]);
    let folder = Folder::new().with("a.ipynb", cells);
    folder.execute_python(["run", "a.ipynb"]).assert().code(1).stdout_eq(str![]);
    let written = written(&folder);
    for cell in [1, 2] {
        assert_eq!(written["cells"][cell]["outputs"][0]["ename"], "ZeroDivisionError");
    }
    assert_eq!(written["cells"][3]["outputs"], json!([]));
    assert_eq!(written["cells"][3]["execution_count"], Value::Null);
}

#[test]
fn a_cell_that_is_stopped_says_so_in_the_notebook() {
    let folder =
        Folder::new().with("a.ipynb", notebook(&[("import ctypes; ctypes.string_at(0)", &[])]));
    folder.execute_python(["run", "a.ipynb"]).assert().code(4);
    assert_eq!(written(&folder)["cells"][1]["outputs"][0]["ename"], "crashed");
}

#[test]
fn a_notebook_that_is_none_is_refused_and_left_alone() {
    let folder = Folder::new().with("a.ipynb", "{}");
    let run = folder.execute_python(["run", "a.ipynb"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `a.ipynb` is not a notebook of format 4: `nbformat` is not 4
hint: open it in Jupyter and save it, which brings it to format 4

"#]]);
    assert_eq!(fs::read_to_string(folder.path().join("a.ipynb")).unwrap(), "{}");
}

#[test]
fn files_of_the_cells_go_to_one_folder() {
    let cells =
        notebook(&[("open('a.txt', 'w').close()", &[]), ("open('b.txt', 'w').close()", &[])]);
    let folder = Folder::new().with("a.ipynb", cells);
    folder.execute_python(["run", "a.ipynb", "--out", "made"]).assert().code(0);
    assert_eq!(folder.names(), ["a.ipynb", "made", "made/a.txt", "made/b.txt"]);
}
