//! Programs that turn against their runner: each ends as an ordinary outcome.

use execute_python_engine::protocol::{Request, Status};

use crate::common::{outcome, outcome_of};

#[test]
fn forged_messages_hide_nothing() {
    let code = r#"
import json, os
forged = json.dumps({"type": "done", "status": "ok"}).encode()
for fd in range(3, 64):
    for message in (forged, len(forged).to_bytes(4, "little") + forged, b"\xff" * 5000):
        try:
            os.write(fd, message)
        except OSError:
            break
raise ValueError("told all the same")
"#;
    let outcome = outcome(code);
    assert_eq!(outcome.status, Status::Exception, "{}", outcome.summary);
    assert_eq!(outcome.exception.unwrap().message, "told all the same");
}

#[test]
fn a_flood_of_noise_ends_with_the_time() {
    let code = "import os\nwhile True: os.write(5, b'x' * 65536)";
    let limits = execute_python_engine::protocol::LimitsRequest {
        wall_time_ms: Some(500),
        ..Default::default()
    };
    let outcome = outcome_of(Request { code: code.into(), limits, ..Request::default() });
    assert_eq!(outcome.status, Status::Timeout);
    assert!(outcome.usage.wall_time_ms < 2_000.0, "{}", outcome.usage.wall_time_ms);
}

#[test]
fn a_guest_has_no_socket_and_no_descriptor_of_the_engine() {
    let code = r#"
import os, stat
for fd in range(64):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    print(fd, "socket" if stat.S_ISSOCK(mode) else "fifo" if stat.S_ISFIFO(mode) else "other")
"#;
    let expected = "0 other\n1 fifo\n2 fifo\n3 fifo\n4 fifo\n5 fifo\n";
    assert_eq!(outcome(code).stdout.text, expected);
}

#[test]
fn a_guest_that_closes_everything_ends() {
    let outcome = outcome("import os\nos.closerange(0, 100)");
    assert_eq!(outcome.status, Status::Exited, "{}", outcome.summary);
}

#[test]
fn a_guest_without_builtins_and_modules_is_still_heard() {
    let code =
        "import builtins, sys\nprint('heard')\nsys.modules.clear()\nbuiltins.__dict__.clear()";
    assert_eq!(outcome(code).stdout.text, "heard\n");
}

#[test]
fn a_signal_that_process_1_does_not_get_is_no_way_to_go_on() {
    for signal in ["SIGKILL", "SIGSTOP"] {
        let outcome = outcome(&format!("import os, signal\nos.kill(os.getpid(), signal.{signal})"));
        assert_eq!(outcome.status, Status::Violation);
    }
}
