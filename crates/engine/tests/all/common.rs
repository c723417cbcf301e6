//! What the tests share: one engine, a way to wait for it, and a program of its own for a test.

use std::fs;
use std::future::Future;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use execute_python_engine::protocol::{Outcome, Request};
use execute_python_engine::{Config, Engine};

/// Runs a future to its end on a runtime of its own.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(future)
}

/// An engine that keeps no workers waiting.
pub(crate) fn engine() -> Engine {
    Engine::new(Config { pool: 0, ..Config::default() }).unwrap()
}

/// Runs one program in `base` and gives its outcome.
pub(crate) fn outcome(code: &str) -> Outcome {
    outcome_of(Request { code: code.into(), ..Request::default() })
}

/// Runs one request on an engine of its own and gives its outcome.
pub(crate) fn outcome_of(request: Request) -> Outcome {
    block_on(async {
        let engine = engine();
        let outcome = engine.run(request).await.unwrap();
        engine.shutdown().await;
        outcome
    })
}

/// A user id that nobody has.
pub(crate) const NOBODY: u32 = 61_234;
/// Where programs of the system lie.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The variable that tells a program which test it was started for.
const AGAIN: &str = "AGAIN";

/// A test that runs in a program of its own: this one, started anew.
#[derive(Debug)]
pub(crate) struct Again {
    name: &'static str,
    variables: Vec<(&'static str, String)>,
    rootless: bool,
}

impl Again {
    /// For the test of this name, with its modules.
    pub(crate) fn named(name: &'static str) -> Again {
        Again { name, variables: Vec::new(), rootless: false }
    }

    /// Whether this program was started for one test.
    pub(crate) fn is_running() -> bool {
        std::env::var_os(AGAIN).is_some()
    }

    /// With a variable in its environment, which else has only what is needed.
    pub(crate) fn with(mut self, variable: &'static str, value: &str) -> Again {
        self.variables.push((variable, value.to_owned()));
        self
    }

    /// As a user without rights.
    pub(crate) fn without_root(self) -> Again {
        Again { rootless: true, ..self }
    }

    /// Calls `test` in that program, and fails here if it fails there.
    pub(crate) fn run(self, test: impl FnOnce()) {
        if std::env::var(AGAIN).as_deref() == Ok(self.name) {
            return test();
        }
        let folder = tempfile::tempdir().unwrap();
        let mut command = self.command(folder.path());
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
    }

    /// How the program is started, with a folder for what it needs.
    #[expect(clippy::disallowed_methods, reason = "the test starts itself")]
    pub(crate) fn command(&self, folder: &std::path::Path) -> Command {
        // The program may lie where another user cannot reach it.
        let program = folder.join("test");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        let mut command = Command::new(&program);
        command.args(["--exact", self.name, "--nocapture"]).env_clear();
        command.env(AGAIN, self.name).env("PATH", PATH).envs(self.variables.iter().cloned());
        if self.rootless && rustix::process::geteuid().is_root() {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
            let home = folder.join("home");
            fs::create_dir(&home).unwrap();
            chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
            command.env("HOME", &home).current_dir(&home).uid(NOBODY).gid(NOBODY);
        } else {
            let kept = ["HOME", "XDG_CACHE_HOME"];
            command.envs(kept.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
            command.current_dir(folder);
        }
        command
    }
}
