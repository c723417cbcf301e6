//! The same without root: everything in a user namespace of the caller's own.
//!
//! Started by root, the test starts itself again as a user without rights. Control groups are waived,
//! since nobody delegates them to that user here.

use execute_python_engine::protocol::{Request, SessionOptions, Status, Waiver};
use execute_python_engine::{Config, Engine, Session};

use crate::common::{Again, block_on};

#[test]
fn without_root_the_same_walls_stand() {
    Again::named("rootless::without_root_the_same_walls_stand")
        .without_root()
        .run(run_without_root);
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
