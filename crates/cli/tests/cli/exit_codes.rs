//! Each end of a run has its exit code and its line.

use snapbox::str;

use crate::support::Folder;

#[test]
fn a_program_that_comes_to_its_end_is_0() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "print('hello')"]).assert();
    run.code(0)
        .stdout_eq(str![[r#"
hello

"#]])
        .stderr_eq(str![[r#"
ok: done in [WALL] (cpu [CPU], memory peak [PEAK])

"#]]);
}

#[test]
fn a_program_that_exits_gives_its_own_code() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "import sys; sys.exit(42)"]).assert();
    run.code(42).stdout_eq(str![]).stderr_eq(str![[r#"
exited: the program exited with code 42 (cpu [CPU], memory peak [PEAK])

"#]]);
}

#[test]
fn an_exit_code_is_what_a_shell_sees_of_it() {
    let folder = Folder::new();
    folder.execute_python(["run", "-c", "import sys; sys.exit(256 + 7)"]).assert().code(7);
}

#[test]
fn an_exception_is_1_and_comes_with_pythons_traceback() {
    let folder = Folder::new().with("div.py", "def f():\n    return 1 / 0\n\nf()\n");
    let run = folder.execute_python(["run", "div.py"]).assert();
    run.code(1).stdout_eq(str![]).stderr_eq(str![[r#"
Traceback (most recent call last):
  File "div.py", line 4, in <module>
    f()
  File "div.py", line 2, in f
    return 1 / 0
...
ZeroDivisionError: division by zero
exception: ZeroDivisionError: division by zero at div.py line 2 (cpu [CPU], memory peak [PEAK])

"#]]);
}

#[test]
fn a_syntax_error_is_1_and_shows_the_place() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "x = (1,"]).assert();
    run.code(1).stdout_eq(str![]).stderr_eq(str![[r#"
  File "main.py", line 1
    x = (1,
...
exception: SyntaxError: [..] (cpu [CPU], memory peak [PEAK])

"#]]);
}

#[test]
fn a_program_out_of_time_is_4_and_the_line_is_told() {
    let folder = Folder::new().with("loop.py", "print('begun')\nx = 0\nwhile True:\n    x += 1\n");
    let run = folder.execute_python(["run", "loop.py", "--wall-time", "300ms"]).assert();
    run.code(4)
        .stdout_eq(str![[r#"
begun

"#]])
        .stderr_eq(str![[r#"
...
timeout: wall time of 300 ms used up at loop.py line [..] (cpu [CPU], memory peak [PEAK])

"#]]);
}

#[test]
fn a_program_out_of_memory_is_4() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "x = bytearray(10**9)"]).assert();
    run.code(4).stdout_eq(str![]).stderr_eq(str![[r#"
Traceback (most recent call last):
  File "main.py", line 1, in <module>
    x = bytearray(10**9)
...
MemoryError
memory_limit: memory of 256 MiB used up (cpu [CPU], memory peak [PEAK])

"#]]);
}

#[test]
fn a_program_that_crashes_is_4() {
    let folder = Folder::new();
    let code = "import ctypes; ctypes.string_at(0)";
    let run = folder.execute_python(["run", "-c", code]).assert();
    run.code(4).stdout_eq(str![]).stderr_eq(str![[r#"
crashed: the program died of signal 11 (SIGSEGV) (cpu [CPU], memory peak [PEAK])

"#]]);
}

#[test]
fn a_program_that_starts_a_process_is_4() {
    let folder = Folder::new();
    let code = "import os\nos.fork()\nprint('forked')";
    let run = folder.execute_python(["run", "-c", code]).assert();
    run.code(4).stdout_eq(str![]).stderr_eq(str![[r#"
violation: interrupted: the program tried os.fork() at main.py line 2; use threads[..] (cpu [CPU], memory peak [PEAK])

"#]]);
}
