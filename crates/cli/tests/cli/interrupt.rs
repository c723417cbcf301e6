//! Ctrl-C and `kill`: the outcome so far, and nothing left.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Folder, Streams};

/// Prints a line, which must come before the end, and never ends.
const ENDLESS: &str = "\
open('part.txt', 'w').write('so far')
print('begun', flush=True)
while True: pass";

#[test]
fn ctrl_c_cancels_the_run_and_its_outcome_comes() {
    interrupted_by(Signal::INT);
}

#[test]
fn kill_cancels_the_run_and_its_outcome_comes() {
    interrupted_by(Signal::TERM);
}

fn interrupted_by(signal: Signal) {
    let folder = Folder::new();
    let mut run = begun(&folder, ["run", "-c", ENDLESS, "--wall-time", "60s", "--out", "out"]);
    kill_process(Pid::from_child(&run), signal).unwrap();
    let told = std::io::read_to_string(run.stderr.take().unwrap()).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(4));
    assert!(told.starts_with("cancelled: the run was cancelled ("), "{told}");
    assert!(told.contains("artifact: out/part.txt (text/plain, 6 B)\n"), "{told}");
}

/// A run that has printed its first line.
fn begun<const N: usize>(folder: &Folder, arguments: [&str; N]) -> Child {
    let streams = Streams { stdout: Stdio::piped(), stderr: Stdio::piped() };
    let mut run = folder.start(arguments, streams);
    let mut line = String::new();
    BufReader::new(run.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    run
}
