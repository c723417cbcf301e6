//! What the monitor says of a forbidden attempt: what it was, where, and what to do instead.

use execute_python_engine::Delivery;
use execute_python_engine::protocol::{
    Action, Category, Event, Layer, Outcome, Policy, Request, SessionOptions, Status, Violation,
};

use crate::common::{block_on, engine, outcome, outcome_of};

fn lenient(code: &str) -> Outcome {
    outcome_of(Request { code: code.into(), policy: Policy::Lenient, ..Request::default() })
}

/// The one violation of an outcome.
fn only(outcome: &Outcome) -> &Violation {
    assert_eq!(outcome.violations.len(), 1, "{outcome:?}");
    &outcome.violations[0]
}

#[test]
fn a_command_is_stopped_and_its_line_is_named() {
    let code =
        "import os\ndef clean(path):\n    os.system(f'rm -rf {path}')\nclean('/')\nprint('never')";
    let outcome = outcome(code);
    assert_eq!((outcome.status, &*outcome.stdout.text), (Status::Violation, ""));
    let violation = only(&outcome);
    assert_eq!(violation.attempt, "os.system(\"rm -rf /\")");
    assert_eq!((violation.category, violation.action), (Category::Process, Action::Interrupt));
    assert_eq!(violation.layer, Layer::Seccomp);
    assert!(violation.hint.contains("shutil.rmtree"), "{}", violation.hint);
    let frames: Vec<_> = violation
        .frames
        .iter()
        .filter(|frame| frame.file == "main.py")
        .map(|f| (f.line, &*f.function, f.source.as_deref()))
        .collect();
    assert_eq!(
        frames,
        [
            (Some(4), "<module>", Some("clean('/')")),
            (Some(3), "clean", Some("os.system(f'rm -rf {path}')")),
        ]
    );
}

#[test]
fn each_attempt_is_told_in_words() {
    for (code, attempt) in [
        ("import subprocess\nsubprocess.run(['ls', '-l'])", "subprocess.Popen([\"ls\", \"-l\"])"),
        ("import os\nos.fork()", "os.fork()"),
        (
            "import os\nos.execv('/bin/sh', ['sh', '-c', 'id'])",
            "os.exec(\"/bin/sh\", [\"sh\", \"-c\", \"id\"])",
        ),
        (
            "import socket\nsocket.create_connection(('169.254.169.254', 80))",
            "connect to 169.254.169.254:80",
        ),
        (
            "import urllib.request as u\nu.urlopen('http://example.com/x')",
            "connect to example.com:80",
        ),
        ("import socket\nsocket.socket()", "open a network socket"),
        ("open('/etc/shadow')", "open /etc/shadow for reading"),
        ("open('/usr/lib/x', 'w')", "open /usr/lib/x for writing"),
        ("import os\nos.kill(99, 9)", "os.kill(99, 9)"),
    ] {
        let outcome = lenient(code);
        let told: Vec<_> = outcome.violations.iter().map(|v| &*v.attempt).collect();
        assert!(told.contains(&attempt), "{code}: {told:?}");
        let violation = &outcome.violations[0];
        assert!(violation.frames.iter().any(|frame| frame.file == "main.py"), "{violation:?}");
    }
}

#[test]
fn a_call_that_python_does_not_know_of_has_its_line_as_well() {
    let code =
        "import ctypes\nlibc = ctypes.CDLL(None)\ndef hidden():\n    libc.syscall(57)\nhidden()";
    for outcome in [outcome(code), lenient(code)] {
        let violation = only(&outcome);
        assert_eq!(violation.system_call.as_deref(), Some("fork"));
        let last = violation.frames.last().unwrap();
        assert_eq!((last.line, &*last.function), (Some(4), "hidden"));
        assert_eq!(last.source.as_deref(), Some("libc.syscall(57)"));
    }
    // In a thread of its own, and many times.
    let code = "import ctypes, threading\nlibc = ctypes.CDLL(None)\ndef hidden():\n    for _ in range(50): libc.syscall(57)\nt = threading.Thread(target=hidden)\nt.start()\nt.join()\nprint('done')";
    let outcome = lenient(code);
    assert_eq!((&*outcome.stdout.text, outcome.violations_total), ("done\n", 50));
    assert_eq!(outcome.violations.len(), 20);
    let last = outcome.violations[0].frames.last().unwrap();
    assert_eq!((last.line, &*last.function), (Some(4), "hidden"));
}

#[test]
fn a_program_that_hides_from_the_interpreter_is_stopped_all_the_same() {
    let blind = "import ctypes, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n";
    let outcome = outcome(&format!("{blind}ctypes.CDLL(None).syscall(57)\nprint('never')"));
    assert_eq!((outcome.status, &*outcome.stdout.text), (Status::Violation, ""));
}

#[test]
fn what_innocent_packages_ask_is_no_violation() {
    for code in [
        "import platform\nplatform.platform(); platform.processor(); platform.uname()",
        "import multiprocessing, os\nmultiprocessing.cpu_count(); os.cpu_count(); os.getloadavg",
        "import uuid\nuuid.uuid1(); uuid.getnode(); uuid.uuid4()",
        "import asyncio\nasync def f(): await asyncio.sleep(0)\nasyncio.run(f())",
        "import tempfile, shutil\nwith tempfile.TemporaryDirectory() as d: shutil.copytree('/mnt/data', d + '/x')",
        "import getpass, pwd, os\nos.path.expanduser('~/.config')",
        "import ssl, http.client, urllib.request, socket\nsocket.gethostname()",
        "import signal, time\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\nsignal.signal(signal.SIGALRM, lambda *a: None)\ntime.sleep(0.05)",
    ] {
        let strict = Request { code: code.into(), policy: Policy::Strict, ..Request::default() };
        let outcome = outcome_of(strict);
        assert_eq!(outcome.status, Status::Ok, "{code}: {outcome:?}");
        assert!(outcome.violations.is_empty(), "{code}: {:?}", outcome.violations);
    }
}

#[test]
fn what_is_done_can_be_asked_for_by_category() {
    let code = "import socket\ntry: socket.socket()\nexcept OSError as e: print('refused')";
    let asked = |action| {
        let actions = [(Category::Network, action)].into();
        outcome_of(Request { code: code.into(), actions, ..Request::default() })
    };
    assert_eq!(asked(Action::Deny).stdout.text, "refused\n");
    assert_eq!(asked(Action::Interrupt).status, Status::Violation);
}

#[test]
fn a_session_names_the_line_of_an_attempt_too() {
    block_on(async {
        let engine = engine();
        let session = engine.open_session(SessionOptions::default(), None).await.unwrap();
        let request = |code: &str| Request { code: code.into(), ..Request::default() };
        session.run(request("import os\ndef f(): os.system('ls')")).await.unwrap();
        let outcome = session.run(request("x = 1\nf()")).await.unwrap();
        let violation = only(&outcome);
        assert_eq!(violation.attempt, "os.system(\"ls\")");
        let places: Vec<_> = violation.frames.iter().map(|f| (&*f.file, f.line)).collect();
        assert_eq!(places, [("cell_2.py", Some(2)), ("cell_1.py", Some(2))]);
        engine.shutdown().await;
    });
}

#[test]
fn a_violation_is_told_as_it_happens() {
    block_on(async {
        let engine = engine();
        let code = "import socket\ntry: socket.socket()\nexcept OSError: print('on')";
        let request = Request { code: code.into(), ..Request::default() };
        let mut run = engine.start(request, Delivery::Inline).await.unwrap();
        let mut seen = Vec::new();
        while let Some(event) = run.next().await {
            match event {
                Event::Violation { violation } => seen.push(violation.attempt),
                Event::Stdout { text } => seen.push(text),
                _ => {}
            }
        }
        assert_eq!(seen, ["open a network socket", "on\n"]);
        engine.shutdown().await;
    });
}
