//! What a guest may do to a terminal.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::OwnedFd;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::{Folder, Streams};

/// Both ends of a terminal.
fn terminal() -> (File, OwnedFd) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = OpenOptions::new().read(true).write(true).open(name).unwrap();
    (ours.into(), theirs.into())
}

/// What a terminal shows of a run.
fn shown(code: &str) -> String {
    let folder = Folder::new();
    let (mut ours, theirs) = terminal();
    let streams = Streams { stdout: theirs.try_clone().unwrap().into(), stderr: theirs.into() };
    let mut run = folder.start(["run", "-c", code], streams);
    let mut bytes = Vec::new();
    // A terminal that nobody has open any more ends with an error, not with an end.
    let error = ours.read_to_end(&mut bytes).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::IO.raw_os_error()));
    run.wait().unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_guest_cannot_control_the_terminal() {
    let told = shown(r"print('a\x1b[2J\x1b]0;title\x07b')");
    assert!(told.starts_with("a\\u{1b}[2J\\u{1b}]0;title\\u{7}b\r\n"), "{told:?}");
}

#[test]
fn a_guest_may_use_colours_which_end_with_its_output() {
    let told = shown(r"print('\x1b[31mred')");
    assert!(told.starts_with("\x1b[31mred\r\n\x1b[0m"), "{told:?}");
}

#[test]
fn a_traceback_cannot_control_the_terminal() {
    let told = shown(r"raise ValueError('\x1b[2J')");
    assert!(!told.contains("\x1b[2J") && told.contains("ValueError: \\u{1b}[2J"), "{told:?}");
}

#[test]
fn a_line_of_ours_begins_a_line() {
    let told = shown("print('no end', end='')");
    assert!(told.starts_with("no end\r\n"), "{told:?}");
}
