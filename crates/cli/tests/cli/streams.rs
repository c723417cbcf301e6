//! What goes to standard output, what goes to standard error, and what if nobody takes it.

use std::fs::OpenOptions;
use std::io::Read;
use std::process::Stdio;

use snapbox::str;

use crate::support::{Folder, Streams};

#[test]
fn each_stream_of_the_program_goes_to_ours() {
    let folder = Folder::new();
    let code = "import sys; print('out'); print('err', file=sys.stderr)";
    let run = folder.execute_python(["run", "-c", code]).assert();
    run.code(0)
        .stdout_eq(str![[r#"
out

"#]])
        .stderr_eq(str![[r#"
err
ok: done in [WALL] (cpu [CPU], memory peak [PEAK])

"#]]);
}

#[test]
fn the_last_value_is_printed_as_python_shows_it() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "print('a', end='')\n{'b': [1, 'ü']}"]).assert();
    run.code(0).stdout_eq(str![[r#"
a
{'b': [1, 'ü']}

"#]]);
}

#[test]
fn none_is_not_printed() {
    let folder = Folder::new();
    folder.execute_python(["run", "-c", "None"]).assert().code(0).stdout_eq(str![]);
}

#[test]
fn the_program_can_come_from_standard_input() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-"]).stdin("print(__name__)").assert();
    run.code(0).stdout_eq(str![[r#"
__main__

"#]]);
}

#[test]
fn the_program_reads_what_it_is_given() {
    let folder = Folder::new().with("in.txt", "one\ntwo\n");
    let code = "print(input() + input())";
    let run = folder.execute_python(["run", "-c", code, "--stdin", "@in.txt"]).assert();
    run.code(0).stdout_eq(str![[r#"
onetwo

"#]]);
}

#[test]
fn control_characters_pass_unchanged_where_no_terminal_is() {
    let folder = Folder::new();
    let code = r"print('\x1b[2J\x1b]0;t\x07\x9b', end='')";
    let run = folder.execute_python(["run", "-c", code]).output().unwrap();
    assert_eq!(run.stdout, "\x1b[2J\x1b]0;t\x07\u{9b}".as_bytes());
}

#[test]
fn output_beyond_the_limit_is_told() {
    let folder = Folder::new();
    let code = "print('x' * 99_999)";
    let run = folder.execute_python(["run", "-c", code, "--output", "10KiB"]).output().unwrap();
    assert_eq!(run.stdout.len(), 10 << 10);
    let told = String::from_utf8(run.stderr).unwrap();
    let note = "note: stdout had 97.7 KiB; shown are the first 10 KiB (`--output` sets how much)\n";
    assert!(told.ends_with(note), "{told}");
}

#[test]
fn a_reader_that_leaves_ends_the_run_without_a_word() {
    let folder = Folder::new();
    let streams = Streams { stdout: Stdio::piped(), stderr: Stdio::piped() };
    let mut run = folder.start(["run", "-c", "while True: print('y' * 1000)"], streams);
    let mut first = [0; 4];
    run.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let ended = run.wait_with_output().unwrap();
    assert_eq!((&first, ended.status.code()), (b"yyyy", Some(4)));
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}

#[test]
fn a_full_disk_behind_standard_output_is_our_failure() {
    let folder = Folder::new();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let streams = Streams { stdout: full.into(), stderr: Stdio::piped() };
    let ended = folder.start(["run", "-c", "print(1)"], streams).wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(125));
    assert_eq!(
        String::from_utf8(ended.stderr).unwrap(),
        "error: cannot write to standard output: no space left on device\n"
    );
}
