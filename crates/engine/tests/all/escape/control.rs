//! The control of the attacks: outside the sandbox they work, so the refusal inside is ours.
//!
//! They run as a user without rights, in a folder of their own, and only those that harm nobody there.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use crate::common::{NOBODY, PATH};
use crate::escape::SERVICE;
use crate::escape::attack::{ALL, Attack, CANARY};

/// How long an attack may take outside.
const WITHIN: Duration = Duration::from_secs(20);

#[test]
fn outside_the_sandbox_the_attacks_work() {
    LazyLock::force(&SERVICE);
    let attacks: Vec<&Attack> = ALL.iter().filter(|attack| attack.control().is_some()).collect();
    assert!(attacks.len() >= 40, "{} attacks have a control", attacks.len());
    let waiting = Mutex::new(attacks);
    let next = || waiting.lock().unwrap().pop();
    let failures = || -> String { std::iter::from_fn(next).map(failure).collect() };
    let failures = std::thread::scope(|scope| {
        let other = scope.spawn(failures);
        failures() + &other.join().unwrap()
    });
    assert!(failures.is_empty(), "\n{failures}");
}

fn failure(attack: &Attack) -> String {
    let (wanted, said) = (attack.control().unwrap_or_default(), unconfined(&attack.code));
    if said.contains(wanted) {
        return String::new();
    }
    format!("{}: outside it does not print {wanted:?}, but {said:?}\n", attack.name)
}

/// What a program says on both its streams outside the sandbox.
#[expect(clippy::disallowed_methods, reason = "the control is outside the sandbox")]
fn unconfined(code: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("main.py"), code).unwrap();
    let output = folder.path().join("output");
    let file = fs::File::create(&output).unwrap();
    let mut command = Command::new("python3");
    if rustix::process::geteuid().is_root() {
        chown(&home, Some(NOBODY + 1), Some(NOBODY + 1)).unwrap();
        command.uid(NOBODY + 1).gid(NOBODY + 1);
    }
    command.args(["-I", "main.py"]).current_dir(&home).env_clear().env("PATH", PATH);
    command.env("HOME", &home).env("TMPDIR", &home).env("EXECPY_CANARY", CANARY);
    command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
    let mut child = command.process_group(0).spawn().unwrap();
    let until = Instant::now() + WITHIN;
    while child.try_wait().unwrap().is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    // What it started and left running.
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
    }
    child.wait().unwrap();
    let mut text = Vec::new();
    fs::File::open(output).unwrap().read_to_end(&mut text).unwrap();
    String::from_utf8_lossy(&text).into_owned()
}
