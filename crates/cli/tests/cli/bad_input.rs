//! What cannot be done is one line that says what, one that says what to do, and nothing is left.

use snapbox::str;

use crate::support::Folder;

#[test]
fn a_script_that_does_not_exist() {
    let folder = Folder::new();
    folder.execute_python(["run", "missing.py"]).assert().code(2).stdout_eq(str![]).stderr_eq(
        str![[r#"
error: there is no file `missing.py`
hint: give the path of a script, `-c 'code'`, or `-` for standard input

"#]],
    );
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_folder_as_script() {
    let folder = Folder::new().with("pkg/__init__.py", "");
    let run = folder.execute_python(["run", "pkg"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `pkg` is a folder, not a script
hint: give the path of a script, `-c 'code'`, or `-` for standard input

"#]]);
}

#[test]
fn a_script_that_is_not_utf_8() {
    let folder = Folder::new().with("latin.py", b"x = 1\ny = '\xfc'\n");
    let run = folder.execute_python(["run", "latin.py"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `latin.py` is not UTF-8 (line 2)
hint: save it as UTF-8

"#]]);
}

#[test]
fn a_script_with_a_null_byte() {
    let folder = Folder::new().with("null.py", "x = 1\0\n");
    let run = folder.execute_python(["run", "null.py"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `null.py` holds a null byte (line 1)
hint: remove the byte; is it a Python script?

"#]]);
}

#[test]
fn empty_code() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", ""]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: the code is empty: there is nothing to run
hint: give code such as `-c 'print(1 + 1)'`

"#]]);
}

#[test]
fn an_empty_standard_input() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-"]).stdin("").assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: standard input is empty: there is nothing to run
hint: give code such as `-c 'print(1 + 1)'`

"#]]);
}

#[test]
fn fifty_megabytes_of_code() {
    let folder = Folder::new().with("big.py", vec![b'#'; 50_000_000]);
    let run = folder.execute_python(["run", "big.py"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `big.py` is longer than the 10 MiB that code may have
hint: put data into a file of its own and give it with `--file`

"#]]);
}

#[test]
fn no_code_at_all() {
    let folder = Folder::new();
    let run = folder.execute_python(["run"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: the following required arguments were not provided:
  <SCRIPT|-c <CODE>>

Usage: execute-python run <SCRIPT|-c <CODE>>

For more information, try '--help'.

"#]]);
}

#[test]
fn an_environment_that_does_not_exist() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "1", "--env", "science"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: there is no environment `science`
hint: there are: base, data

"#]]);
}

#[test]
fn a_limit_above_its_ceiling() {
    let folder =
        Folder::new().with("plot.py", "1").with("own.toml", "ceiling.memory_bytes = '2GiB'");
    let arguments = ["run", "plot.py", "--memory", "4GiB", "--config", "own.toml"];
    let run = folder.execute_python(arguments).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: memory 4 GiB is above the ceiling of 2 GiB
hint: use `--memory 2GiB`, or raise `ceiling.memory_bytes` in the settings

"#]]);
}

#[test]
fn a_limit_that_no_program_could_start_with() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "1", "--memory", "1MiB"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: memory 1 MiB is below the least possible, 16 MiB
hint: use `--memory 16MiB` or more

"#]]);
}

#[test]
fn a_limit_that_is_no_size() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "1", "--memory", "lots"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: invalid value 'lots' for '--memory <SIZE>': say a size such as `256MiB` or `1.5GB`

For more information, try '--help'.

"#]]);
}

#[test]
fn an_input_file_that_does_not_exist() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "1", "--file", "data.csv"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: there is no file `data.csv`
hint: give `--file path` or `--file name=path`

"#]]);
}

#[test]
fn two_input_files_of_one_name() {
    let folder = Folder::new().with("a/data.csv", "1").with("b/data.csv", "2");
    let arguments = ["run", "-c", "1", "--file", "a/data.csv", "--file", "b/data.csv"];
    let run = folder.execute_python(arguments).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: two input files have the name `data.csv`
hint: give one another name: `--file other-data.csv=path`

"#]]);
}

#[test]
fn an_input_file_whose_name_leads_out_of_the_work_folder() {
    let folder = Folder::new().with("data.csv", "1");
    let run = folder.execute_python(["run", "-c", "1", "--file", "../x.csv=data.csv"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `../x.csv` is no name for a file in the work folder
hint: use a relative name without `..`, such as `--file data.csv=path`

"#]]);
}

#[test]
fn an_input_file_with_an_absolute_name() {
    let folder = Folder::new().with("data.csv", "1");
    let run = folder.execute_python(["run", "-c", "1", "--file", "/etc/x=data.csv"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `/etc/x` is no name for a file in the work folder
hint: use a relative name without `..`, such as `--file data.csv=path`

"#]]);
}

#[test]
fn input_files_larger_than_the_disk() {
    let folder = Folder::new().with("data.bin", vec![0; 2 << 20]);
    let arguments = ["run", "-c", "1", "--file", "data.bin", "--disk", "1MiB"];
    let run = folder.execute_python(arguments).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: the input is larger than the disk limit of 1 MiB
hint: raise it with `--disk`, up to the ceiling

"#]]);
}

#[test]
fn a_file_where_artifacts_should_go() {
    let folder = Folder::new().with("out", "");
    let run = folder.execute_python(["run", "-c", "1", "--out", "out"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `out` is a file, not a folder
hint: give `--out` a folder, or a name that does not exist yet

"#]]);
}

#[test]
fn a_file_for_standard_input_that_does_not_exist() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "1", "--stdin", "@me"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: there is no file `me`
hint: give `--stdin @path`; `--stdin @@me` is a text that begins with `@`

"#]]);
}

#[test]
fn standard_input_for_two_things() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-", "--stdin", "@-"]).stdin("1").assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: standard input cannot be both the code and the program's input
hint: put one of both into a file

"#]]);
}

#[test]
fn a_cache_that_cannot_be_written() {
    // Root may write anywhere but below a file.
    let folder = Folder::new().with("file", "");
    let run = folder.execute_python(["run", "-c", "1", "--cache-dir", "file/cache"]).assert();
    run.code(125).stdout_eq(str![]).stderr_eq(str![[r#"
error: cannot create `[FOLDER]/file/cache`: not a directory

"#]]);
}

#[test]
fn a_python_that_does_not_exist() {
    let folder = Folder::new();
    let arguments = ["run", "-c", "1", "--python", "/nonexistent/python3"];
    let run = folder.execute_python(arguments).assert();
    run.code(125).stdout_eq(str![]).stderr_eq(str![[r#"
error: `/nonexistent/python3` is no CPython 3.9 to 3.14: No such file or directory (os error 2)

"#]]);
}

#[test]
fn a_program_is_told_as_json() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "missing.py", "--json"]).assert();
    run.code(2)
        .stdout_eq(str![[r#"
{"error":{"code":"code_not_runnable","hint":"give the path of a script, `-c 'code'`, or `-` for standard input","kind":"request","message":"there is no file `missing.py`"}}

"#]])
        .stderr_eq(str![[r#"
error: there is no file `missing.py`
hint: give the path of a script, `-c 'code'`, or `-` for standard input

"#]]);
}
