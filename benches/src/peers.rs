//! The peers: plain Python from a clean virtual environment, and bubblewrap around it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use execute_python_engine::Engine;

/// The programs to compare with.
#[derive(Debug)]
pub(crate) struct Peers {
    /// The interpreter of a clean virtual environment.
    pub(crate) python: PathBuf,
    /// The packages of the `data` environment, for the same interpreter.
    packages: PathBuf,
    /// Whether bubblewrap is installed.
    pub(crate) bubblewrap: bool,
}

impl Peers {
    /// Makes a virtual environment of the interpreter that the engine uses. It takes the packages of
    /// the `data` environment from where they are.
    pub(crate) fn prepare(engine: &Engine) -> Result<Peers, Box<dyn Error>> {
        let folder = std::env::temp_dir().join("execute-python-benches");
        let python = folder.join("bin/python3");
        if !python.exists() {
            let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status()?;
            if !made.success() {
                return Err("cannot make a virtual environment".into());
            }
        }
        let data = engine.environments()?.into_iter().find(|info| info.name == "data");
        let root = data.and_then(|info| info.root).ok_or("the data environment is not built")?;
        let library = std::fs::read_dir(root.join("usr/lib"))?
            .flatten()
            .map(|entry| entry.path().join("site-packages"))
            .find(|path| path.is_dir())
            .ok_or("the data environment has no packages")?;
        let bubblewrap = Command::new("bwrap")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        Ok(Peers { python, packages: library, bubblewrap })
    }

    /// Plain Python, with the packages to be had.
    pub(crate) fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.python);
        command.env("PYTHONPATH", &self.packages).current_dir(folder);
        command
    }

    /// Runs code in a new process and gives the time until it has ended.
    pub(crate) fn plain(&self, code: &str, folder: &Path) -> Result<Duration, Box<dyn Error>> {
        self.time(&mut Command::new(&self.python), code, folder)
    }

    /// The same inside bubblewrap.
    pub(crate) fn wrapped(&self, code: &str, folder: &Path) -> Result<Duration, Box<dyn Error>> {
        let mut command = Command::new("bwrap");
        command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/tmp", "--bind"]);
        command.arg(std::env::temp_dir().join("execute-python-benches"));
        command.arg(std::env::temp_dir().join("execute-python-benches"));
        command.args(["--unshare-all", "--die-with-parent"]).arg(&self.python);
        self.time(&mut command, code, folder)
    }

    fn time(
        &self,
        command: &mut Command,
        code: &str,
        folder: &Path,
    ) -> Result<Duration, Box<dyn Error>> {
        let started = Instant::now();
        let output = command
            .args(["-c", code])
            .env("PYTHONPATH", &self.packages)
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()?;
        let taken = started.elapsed();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(taken)
    }
}
