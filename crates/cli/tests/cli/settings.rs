//! Settings: where they are found, which win, and what is not taken from whom.

use snapbox::str;

use crate::support::Folder;

/// Runs for longer than the settings of these tests allow.
const LONG: &str = "import time; time.sleep(60)";

#[test]
fn limits_of_the_users_own_file_hold() {
    let folder = Folder::new()
        .with("config/execute-python/execute-python.toml", "limits.wall_time_ms = '100ms'");
    folder.execute_python(["run", "-c", LONG]).assert().code(4).stderr_eq(str![[r#"
...
timeout: wall time of 100 ms used up[..]

"#]]);
}

#[test]
fn the_folders_file_wins_over_the_users_own_and_the_command_line_over_both() {
    let folder = Folder::new()
        .with("config/execute-python/execute-python.toml", "limits.wall_time_ms = 60_000")
        .with("execute-python.toml", "limits.wall_time_ms = 50_000");
    let run = folder.execute_python(["run", "-c", LONG, "--wall-time", "100ms"]).assert();
    run.code(4);
    let run = folder.execute_python(["run", "--json", "-c", "1"]).output().unwrap();
    assert!(String::from_utf8(run.stdout).unwrap().contains(r#""wall_time_ms":50000"#));
}

#[test]
fn a_file_that_is_named_takes_the_place_of_all() {
    let folder = Folder::new()
        .with("execute-python.toml", "nonsense")
        .with("own.toml", "limits.threads = 7");
    for run in [
        folder.execute_python(["run", "--json", "-c", "1", "--config", "own.toml"]),
        folder
            .execute_python(["run", "--json", "-c", "1"])
            .env("EXECUTE_PYTHON_CONFIG", "own.toml"),
    ] {
        let told = String::from_utf8(run.output().unwrap().stdout).unwrap();
        assert!(told.contains(r#""threads":7"#), "{told}");
    }
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let folder = Folder::new();
    let run = folder.execute_python(["run", "-c", "1", "--config", "own.toml"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: there is no settings file `own.toml`

"#]]);
}

#[test]
fn the_folders_file_names_no_program_of_the_host() {
    let folder = Folder::new().with("execute-python.toml", "python = './python'");
    let run = folder.execute_python(["run", "-c", "1"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: `execute-python.toml` may not set `python`, because it came with the folder
hint: set it in `[FOLDER]/config/execute-python/execute-python.toml`, or say `--config execute-python.toml` if you trust the file

"#]]);
}

#[test]
fn settings_that_are_not_understood_are_told_with_their_line() {
    let folder = Folder::new().with("own.toml", "[limits]\nmemory_bytes = 'lots'\n");
    let run = folder.execute_python(["run", "-c", "1", "--config", "own.toml"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: cannot understand `own.toml`, line 2: say a size such as `256MiB` or `1.5GB`

"#]]);
}

#[test]
fn a_default_above_its_ceiling_is_refused() {
    let folder = Folder::new().with("own.toml", "ceiling.memory_bytes = '128MiB'");
    let run = folder.execute_python(["run", "-c", "1", "--config", "own.toml"]).assert();
    run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: the default of `limits.memory_bytes` is above `ceiling.memory_bytes`
hint: raise the ceiling or lower the limit

"#]]);
}
