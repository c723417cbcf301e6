//! The same without root: everything in a user namespace of the caller's own.
//!
//! Started by root, the test starts itself again as a user without rights. Control groups are waived,
//! since nobody delegates them to that user here.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;

use execute_python_engine::protocol::{Request, SessionOptions, Status, Waiver};
use execute_python_engine::{Config, Engine, Session};

use crate::common::block_on;

/// A user id that nobody has.
const NOBODY: u32 = 61_234;

#[test]
#[expect(clippy::disallowed_methods, reason = "the test starts itself as another user")]
fn without_root_the_same_walls_stand() {
    if std::env::var_os("WITHOUT_ROOT").is_some() || !rustix::process::geteuid().is_root() {
        return run_without_root();
    }
    let folder = tempfile::tempdir().unwrap();
    // The program may lie where the other user cannot reach it.
    let program = folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
    let output = std::process::Command::new(&program)
        .args(["--exact", "rootless::without_root_the_same_walls_stand", "--nocapture"])
        .env_clear()
        .env("WITHOUT_ROOT", "1")
        .env("HOME", &home)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .current_dir(&home)
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn run_without_root() {
    assert!(!rustix::process::geteuid().is_root(), "the control: this is no root");
    block_on(async {
        let refused = Engine::new(Config { waived: Vec::new(), ..Config::default() });
        if let Err(error) = refused {
            // A wall that is missing refuses; only a waiver by name goes without it.
            assert_eq!(error.code(), "cgroup_not_available");
        }
        let config = Config { waived: vec![Waiver::Cgroup], pool: 1, ..Config::default() };
        let engine = Engine::new(config).unwrap();
        for (code, status, stdout) in [
            ("import os\nprint(os.getuid(), os.getgroups())", Status::Ok, "1000 []\n"),
            ("import os\nos.system('true')", Status::Violation, ""),
            ("x = bytearray(10**9)", Status::MemoryLimit, ""),
            ("open('/mnt/x', 'w')", Status::Exception, ""),
            ("import os\nos.listdir('/mnt')", Status::Exception, ""),
            (
                "import os\nprint(os.listdir('/proc'), os.listdir('/sys'))",
                Status::Ok,
                "['self'] []\n",
            ),
        ] {
            let request = Request { code: code.into(), ..Request::default() };
            let outcome = engine.run(request).await.unwrap();
            assert_eq!((outcome.status, outcome.stdout.text.as_str()), (status, stdout), "{code}");
            assert_eq!(outcome.waived, [Waiver::Cgroup]);
        }
        let session = engine.open_session(SessionOptions::default(), None).await.unwrap();
        let run = async |session: &Session, code: &str| {
            let request = Request { code: code.into(), ..Request::default() };
            let outcome = session.run(request).await.unwrap();
            outcome.stdout.text
        };
        run(&session, "x = 1\nopen('f', 'w').write('trunk')").await;
        run(&session, "x = 2\nimport os\nos._exit(1)").await;
        let branch = session.fork(1).await.unwrap().pop().unwrap();
        run(&branch, "x += 10\nopen('f', 'w').write('branch')").await;
        assert_eq!(run(&session, "print(x, open('f').read())").await, "1 trunk\n");
        assert_eq!(run(&branch, "print(x, open('f').read())").await, "11 branch\n");
        engine.shutdown().await;
    });
}
