//! `env` and `doctor`.

use serde_json::Value;
use snapbox::str;

use crate::support::Folder;

fn json<const N: usize>(folder: &Folder, arguments: [&str; N]) -> Value {
    let ended = folder.execute_python(arguments).output().unwrap();
    serde_json::from_slice(&ended.stdout).unwrap()
}

#[test]
fn the_environments_that_are_built_in_are_listed() {
    let all = json(&Folder::new(), ["env", "list", "--json"]);
    let names: Vec<_> = all["environments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|info| info["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["base", "data"]);
}

#[test]
fn an_environment_of_the_settings_is_shown() {
    let settings = "[environments.tiny]\nprovides = ['tiny']\npreload = ['json']\n";
    let folder = Folder::new().with("own.toml", settings);
    let run = folder.execute_python(["env", "show", "tiny", "--config", "own.toml"]).assert();
    run.code(0).stderr_eq(str![]).stdout_eq(str![[r#"
tiny: not built yet
provides: tiny
preload: json

"#]]);
}

#[test]
fn an_environment_is_built_told_of_and_removed() {
    let folder = Folder::new().with("own.toml", "[environments.tiny]\npreload = ['json']\n");
    let cache = folder.path().join("cache").display().to_string();
    let with = ["--config", "own.toml", "--cache-dir", &cache];
    let env = |what: &str| folder.execute_python(["env", what, "tiny"]).args(with);

    env("build").assert().code(0).stdout_eq(str![]).stderr_eq(str![[r#"
building: `tiny`, step 1 of 5: copying the interpreter
building: `tiny`, step 3 of 5: copying shared libraries
building: `tiny`, step 4 of 5: compiling bytecode
building: `tiny`, step 5 of 5: writing the manifest
ok: `tiny` is built (Python 3.11.7, no packages, 140 MiB)

"#]]);
    let run = folder.execute_python(["run", "-c", "print('in')", "--env", "tiny"]).args(with);
    run.assert().code(0).stdout_eq(str![[r#"
in

"#]]);
    env("remove").assert().code(0).stdout_eq(str![]).stderr_eq(str![[r#"
ok: removed `tiny`, 140 MiB are free again

"#]]);
    env("show").assert().code(0).stdout_eq(str![[r#"
tiny: not built yet
preload: json

"#]]);
}

#[test]
fn an_environment_that_does_not_exist_is_told_with_those_that_do() {
    for what in ["show", "build", "remove"] {
        let folder = Folder::new();
        let run = folder.execute_python(["env", what, "science"]).assert();
        run.code(2).stdout_eq(str![]).stderr_eq(str![[r#"
error: there is no environment `science`
hint: there are: base, data

"#]]);
    }
}

#[test]
fn the_doctor_finds_everything_on_a_machine_where_the_tests_pass() {
    let folder = Folder::new();
    let told = json(&folder, ["doctor", "--json"]);
    for probe in told["probes"].as_array().unwrap() {
        assert_eq!(probe["verdict"], "ok", "{probe}");
    }
    folder.execute_python(["doctor"]).assert().code(0).stderr_eq(str![]);
}

#[test]
fn the_doctor_tells_of_settings_that_cannot_be_used() {
    let folder = Folder::new().with("own.toml", "sandbox = 'off'");
    let ended = folder.execute_python(["doctor", "--config", "own.toml"]).output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    let told = String::from_utf8(ended.stdout).unwrap();
    assert!(told.contains("fail  settings: cannot understand `own.toml`, line 1"), "{told}");
}
