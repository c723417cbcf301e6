//! Files in and files out.

use std::fs;

use snapbox::str;

use crate::support::Folder;

/// A value that shows itself as a picture, as figures do.
const PICTURE: &str = "\
class Picture:
    def _repr_png_(self): return b'\\x89PNG not really'
    def __repr__(self): return '<Picture>'
Picture()";

#[test]
fn input_files_are_in_the_work_folder_under_their_names() {
    let folder = Folder::new().with("data.csv", "a\n").with("other.csv", "b\n");
    let code = "print(open('data.csv').read() + open('in/b.csv').read())";
    let arguments = ["run", "-c", code, "--file", "data.csv", "--file", "in/b.csv=other.csv"];
    let run = folder.execute_python(arguments).assert();
    run.code(0).stdout_eq(str![[r#"
a
b


"#]]);
}

#[test]
fn artifacts_go_to_a_folder_of_the_run() {
    let folder = Folder::new();
    let code = "with open('a.txt', 'w') as file: print('hello', file=file)";
    let run = folder.execute_python(["run", "-c", code]).assert();
    run.code(0).stdout_eq(str![]).stderr_eq(str![[r#"
ok: done in [WALL] (cpu [CPU], memory peak [PEAK])
artifact: execute-python-out/[RUN]/a.txt (text/plain, 6 B)

"#]]);
    let names = folder.names();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(fs::read(folder.path().join(&names[2])).unwrap(), b"hello\n");
}

#[test]
fn a_run_without_artifacts_makes_no_folder() {
    let folder = Folder::new();
    folder.execute_python(["run", "-c", "1", "--out", "out"]).assert().code(0);
    folder.execute_python(["run", "-c", "1"]).assert().code(0);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn an_input_file_that_was_changed_is_an_artifact() {
    let folder = Folder::new().with("data.csv", "a\n");
    let code = "with open('data.csv', 'a') as file: print('b', file=file)";
    let arguments = ["run", "-c", code, "--file", "data.csv", "--out", "out"];
    let run = folder.execute_python(arguments).assert();
    run.code(0).stderr_eq(str![[r#"
ok: done in [WALL] (cpu [CPU], memory peak [PEAK])
artifact: out/data.csv (text/csv, 4 B, modified)

"#]]);
    assert_eq!(fs::read(folder.path().join("out/data.csv")).unwrap(), b"a\nb\n");
    assert_eq!(fs::read(folder.path().join("data.csv")).unwrap(), b"a\n");
}

#[test]
fn a_picture_becomes_a_file() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", PICTURE, "--out", "out"]).assert();
    run.code(0)
        .stdout_eq(str![[r#"
<Picture>

"#]])
        .stderr_eq(str![[r#"
ok: done in [WALL] (cpu [CPU], memory peak [PEAK])
display: out/value.png (image/png, 15 B)

"#]]);
    assert_eq!(folder.names(), ["out", "out/value.png"]);
}

#[test]
fn a_picture_takes_no_name_of_an_artifact() {
    let folder = Folder::new();
    let code = format!("with open('value.png', 'w') as file: file.write('mine')\n{PICTURE}");
    folder.execute_python(["run", "-c", &code, "--out", "out"]).assert().code(0);
    assert_eq!(folder.names(), ["out", "out/value-2.png", "out/value.png"]);
    assert_eq!(fs::read(folder.path().join("out/value.png")).unwrap(), b"mine");
}

#[test]
fn a_program_cannot_write_settings_of_ours() {
    let folder = Folder::new();
    let code = "with open('execute-python.toml', 'w') as file: file.write('limits.threads = 1')";
    // The control: in this place the file would be settings.
    let control = Folder::new().with("execute-python.toml", "limits.threads = 'x'");
    control.execute_python(["run", "-c", "1"]).assert().code(2);

    let run = folder.execute_python(["run", "-c", code, "--out", "."]).assert();
    run.code(0).stderr_eq(str![[r#"
ok: done in [WALL] (cpu [CPU], memory peak [PEAK])
artifact: ./execute-python.toml.artifact (text/x-toml, 18 B)
note: `execute-python.toml` is delivered as `execute-python.toml.artifact`: a program cannot write settings of ours

"#]]);
    assert_eq!(folder.names(), ["execute-python.toml.artifact"]);
}

#[test]
fn a_name_of_an_artifact_begins_no_line_of_ours() {
    let folder = Folder::new();
    let code = r"with open('x\nok: fake', 'w') as file: file.write('1')";
    let run = folder.execute_python(["run", "-c", code, "--out", "out"]).assert();
    run.code(0).stderr_eq(str![[r#"
ok: done in [WALL] (cpu [CPU], memory peak [PEAK])
artifact: out/x�ok: fake (text/plain, 1 B)

"#]]);
}
