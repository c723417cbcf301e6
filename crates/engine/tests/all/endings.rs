//! One run for each limit and each status.

use std::time::Duration;

use execute_python_engine::protocol::{
    Action, Category, LimitsRequest, Outcome, Policy, Request, Status,
};
use execute_python_engine::{Delivery, Engine};

use crate::common::{block_on, engine, outcome, outcome_of};

fn limited(code: &str, limits: LimitsRequest) -> Outcome {
    outcome_of(Request { code: code.into(), limits, ..Request::default() })
}

fn within(code: &str, wall_time_ms: u64) -> Outcome {
    limited(code, LimitsRequest { wall_time_ms: Some(wall_time_ms), ..LimitsRequest::default() })
}

#[test]
fn a_program_that_comes_to_its_end_is_ok() {
    let outcome = outcome("print('hi')\n'value'");
    assert_eq!((outcome.status, outcome.stdout.text.as_str()), (Status::Ok, "hi\n"));
    assert_eq!(outcome.value.unwrap().text(), Some("'value'"));
}

#[test]
fn an_exception_tells_where_and_why_without_our_frames() {
    let outcome = outcome("def f():\n    return 1 / 0\n\nf()");
    assert_eq!(outcome.status, Status::Exception);
    let exception = outcome.exception.unwrap();
    assert_eq!(exception.r#type, "ZeroDivisionError");
    let frames: Vec<_> = exception.frames.iter().map(|f| (f.line, f.function.as_str())).collect();
    assert_eq!(frames, [(Some(4), "<module>"), (Some(2), "f")]);
    assert!(exception.text.starts_with("Traceback (most recent call last):\n  File \"main.py\""));
}

#[test]
fn a_syntax_error_is_shown_as_python_shows_it() {
    let text = outcome("x = (1,\ny = 2").exception.unwrap().text;
    assert!(text.starts_with("  File \"main.py\", line 1\n"), "{text}");
    assert!(text.contains('^') && !text.contains("Traceback"), "{text}");
}

#[test]
fn a_program_exits_with_its_own_code() {
    for (code, wanted) in [("import os; os._exit(7)", 7), ("import sys; sys.exit(8)", 8)] {
        let outcome = outcome(code);
        assert_eq!((outcome.status, outcome.exit_code), (Status::Exited, Some(wanted)));
    }
}

#[test]
fn a_program_that_dies_of_a_signal_crashed() {
    let outcome = outcome("print('before', flush=True)\nimport ctypes\nctypes.string_at(0)");
    assert_eq!((outcome.status, outcome.signal), (Status::Crashed, Some(11)));
    assert_eq!(outcome.stdout.text, "before\n");
}

#[test]
fn a_timeout_names_the_line_and_keeps_what_was_made() {
    for (code, line) in [
        ("print('kept')\nopen('a.txt','w').write('kept')\nwhile True:\n    pass", 4),
        ("import time\nprint('kept')\nopen('a.txt','w').write('kept')\ntime.sleep(60)", 4),
        (
            "import re\nprint('kept')\nopen('a.txt','w').write('kept')\nre.match('(a+)+b', 'a' * 50)",
            4,
        ),
        (
            "print('kept')\nopen('a.txt','w').write('kept')\ntry:\n    while True: pass\nexcept BaseException:\n    while True: pass",
            4,
        ),
    ] {
        let outcome = within(code, 600);
        assert_eq!(outcome.status, Status::Timeout, "{code}");
        let own = outcome.stopped_at.iter().rev().find(|frame| frame.file == "main.py");
        let own_line = own.and_then(|frame| frame.line).unwrap();
        assert!(own_line.abs_diff(line) <= 1, "{code}: line {own_line}");
        assert_eq!(outcome.stdout.text, "kept\n");
        assert_eq!(outcome.artifacts[0].path, "a.txt");
    }
}

#[test]
fn a_loop_inside_numpy_is_stopped_and_its_line_named() {
    let code = "import numpy as np\na = np.ones((200, 200))\nfor n in range(10**9):\n    a = np.linalg.svd(a)[0]";
    let outcome = within(code, 1500);
    assert_eq!(outcome.status, Status::Timeout);
    assert!(outcome.summary.contains("main.py line"), "{}", outcome.summary);
}

#[test]
fn processor_time_is_limited_apart_from_wall_time() {
    let limits = LimitsRequest { cpu_time_ms: Some(300), ..LimitsRequest::default() };
    let outcome = limited("while True: pass", limits);
    assert_eq!(outcome.status, Status::Timeout);
    assert!(outcome.summary.contains("processor time"), "{}", outcome.summary);
}

#[test]
fn a_large_allocation_is_a_memory_error_with_a_traceback() {
    let outcome = outcome("print('kept')\nx = bytearray(10 ** 9)");
    assert_eq!(outcome.status, Status::MemoryLimit);
    assert_eq!(outcome.exception.unwrap().frames[0].line, Some(2));
    assert_eq!(outcome.stdout.text, "kept\n");
}

#[test]
fn memory_that_grows_bit_by_bit_ends_at_the_limit() {
    // Shared memory is beyond what a resource limit counts: the control group holds it.
    let code = "print('kept')\nimport mmap\nm = mmap.mmap(-1, 1 << 30)\nfor n in range(0, 1 << 30, 4096): m[n] = 1";
    let outcome = outcome(code);
    assert_eq!(outcome.status, Status::MemoryLimit, "{}", outcome.summary);
    assert_eq!(outcome.stdout.text, "kept\n");
}

#[test]
fn a_full_work_folder_is_an_error_of_the_program() {
    let limits = LimitsRequest { disk_bytes: Some(1 << 20), ..LimitsRequest::default() };
    let code = "try:\n    open('big', 'wb').write(bytes(1 << 21))\nexcept OSError as error:\n    print(error.errno)";
    assert!(["27\n", "28\n"].contains(&limited(code, limits).stdout.text.as_str()));
    let limits = LimitsRequest { files: Some(20), ..LimitsRequest::default() };
    let code = "try:\n    for n in range(30): open(str(n), 'w')\nexcept OSError as error:\n    print(error.errno, n)";
    assert_eq!(limited(code, limits).stdout.text, "28 20\n");
}

#[test]
fn threads_beyond_the_limit_cannot_be_started() {
    let limits = LimitsRequest { threads: Some(4), ..LimitsRequest::default() };
    let code = "
import threading
stop = threading.Event()
started = 0
try:
    for _ in range(10):
        threading.Thread(target=stop.wait, daemon=True).start()
        started += 1
except RuntimeError:
    print(started)
stop.set()";
    assert_eq!(limited(code, limits).stdout.text, "3\n");
}

#[test]
fn output_beyond_the_limit_is_left_out_and_accounted_for() {
    let limits = LimitsRequest { output_bytes: Some(1000), ..LimitsRequest::default() };
    let code = "import sys\nfor n in range(100_000): print('line', n)\nsys.stderr.write('end')";
    let outcome = limited(code, limits);
    assert_eq!(outcome.status, Status::Ok);
    assert_eq!((outcome.stdout.total_bytes, outcome.stdout.kept_bytes), (1_088_890, 1000));
    assert!(outcome.stdout.text.starts_with("line 0\n"));
    assert!(outcome.stdout.tail.unwrap().ends_with("line 99999\n"));
    assert_eq!(outcome.stderr.text, "end");
}

#[test]
fn a_hundred_megabytes_of_output_do_no_harm() {
    let outcome = outcome("for _ in range(100): print('x' * (1 << 20))");
    assert_eq!(outcome.status, Status::Ok);
    assert_eq!(outcome.stdout.total_bytes, 100 * ((1 << 20) + 1));
    assert_eq!(outcome.stdout.kept_bytes, 1 << 20);
}

#[test]
fn a_forbidden_process_is_interrupted_before_it_exists() {
    let code = "print('kept')\nimport os\nos.system('touch escaped')\nprint('never')";
    let outcome = outcome(code);
    assert_eq!((outcome.status, outcome.stdout.text.as_str()), (Status::Violation, "kept\n"));
    let violation = &outcome.violations[0];
    assert_eq!((violation.category, violation.action), (Category::Process, Action::Interrupt));
    assert_eq!(outcome.artifacts, []);
}

#[test]
fn the_network_is_denied_with_an_error_that_programs_handle() {
    let code = "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 80))\nexcept OSError as error:\n    print('no network')";
    let outcome = outcome(code);
    assert_eq!((outcome.status, outcome.stdout.text.as_str()), (Status::Ok, "no network\n"));
    assert_eq!(outcome.violations[0].category, Category::Network);
}

#[test]
fn the_policy_decides_what_is_done() {
    let run = |policy, code: &str| {
        outcome_of(Request { code: code.into(), policy, ..Request::default() })
    };
    let strict = run(Policy::Strict, "import socket\nsocket.socket()");
    assert_eq!(strict.status, Status::Violation);
    let lenient = run(
        Policy::Lenient,
        "import os\ntry:\n    os.fork()\nexcept OSError:\n    print('denied')",
    );
    assert_eq!((lenient.status, lenient.stdout.text.as_str()), (Status::Ok, "denied\n"));
}

#[test]
fn a_run_that_is_taken_back_is_cancelled_and_its_output_kept() {
    block_on(async {
        let engine: Engine = engine();
        let code = "import time\nprint('kept')\ntime.sleep(60)".into();
        let request = Request { code, ..Request::default() };
        let mut run = engine.start(request, Delivery::Inline).await.unwrap();
        while let Some(event) = run.next().await {
            if matches!(event, execute_python_engine::protocol::Event::Stdout { .. }) {
                run.cancel();
                break;
            }
        }
        let outcome = tokio::time::timeout(Duration::from_secs(5), run.outcome()).await;
        let outcome = outcome.unwrap().unwrap();
        assert_eq!((outcome.status, outcome.stdout.text.as_str()), (Status::Cancelled, "kept\n"));
        engine.shutdown().await;
    });
}
