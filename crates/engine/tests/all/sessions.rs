//! Sessions: what lives on between runs, and what is undone when a run goes wrong.

use execute_python_engine::protocol::{
    InputFile, LimitsRequest, Outcome, Policy, Request, SessionOptions, StateKind, Status,
};
use execute_python_engine::{Delivery, Engine, Kind, Session};

use crate::common::{block_on, engine};

async fn open(engine: &Engine) -> Session {
    engine.open_session(SessionOptions::default(), None).await.unwrap()
}

fn request(code: &str) -> Request {
    Request { code: code.into(), ..Request::default() }
}

async fn run(session: &Session, code: &str) -> Outcome {
    session.run(request(code)).await.unwrap()
}

/// Runs code that must succeed and gives its output.
async fn said(session: &Session, code: &str) -> String {
    let outcome = run(session, code).await;
    assert_eq!(outcome.status, Status::Ok, "{code}: {outcome:?}");
    outcome.stdout.text
}

fn kind(outcome: &Outcome) -> StateKind {
    outcome.state.as_ref().unwrap().kind
}

/// Runs a test in a session of its own.
fn in_session<F: Future<Output = ()>>(test: impl FnOnce(Session) -> F) {
    block_on(async {
        let engine = engine();
        test(open(&engine).await).await;
        engine.shutdown().await;
    });
}

#[test]
fn what_a_run_makes_is_there_in_the_next() {
    in_session(|session| async move {
        said(&session, "import math\nx = 40\ndef double(n): return 2 * n\nf = open('a.txt', 'w')")
            .await;
        said(&session, "f.write('kept'); import os; os.mkdir('d'); os.chdir('d')").await;
        said(&session, "import random; random.seed(7); g = iter(range(5)); next(g)").await;
        let code =
            "f.close(); print(math.sqrt(double(x) + 1), os.getcwd(), next(g), random.random())";
        let first = said(&session, code).await;
        assert_eq!(first, "9.0 /mnt/data/d 1 0.32383276483316237\n");
        assert_eq!(said(&session, "print(open('/mnt/data/a.txt').read())").await, "kept\n");
    });
}

#[test]
fn a_run_has_its_number_its_value_and_the_last_ones() {
    in_session(|session| async move {
        run(&session, "6 * 7").await;
        run(&session, "'text'").await;
        assert_eq!(
            said(&session, "print(_, __, Out[1], In[1], len(In))").await,
            "text 42 42 6 * 7 4\n"
        );
        let outcome = run(&session, "def f():\n    1 / 0\nf()").await;
        assert_eq!(outcome.exception.unwrap().frames[1].file, "cell_4.py");
    });
}

#[test]
fn a_run_that_times_out_where_it_can_be_stopped_keeps_what_it_did() {
    in_session(|session| async move {
        said(&session, "x = 1").await;
        let wall = LimitsRequest { wall_time_ms: Some(300), ..LimitsRequest::default() };
        let slow = Request { limits: wall, ..request("x = 2\nwhile True: pass") };
        let outcome = session.run(slow).await.unwrap();
        assert_eq!((outcome.status, kind(&outcome)), (Status::Timeout, StateKind::Kept));
        assert_eq!(said(&session, "print(x)").await, "2\n");
    });
}

#[test]
fn a_run_that_is_killed_costs_nothing() {
    in_session(|session| async move {
        said(&session, "x = [1]\nopen('a.txt', 'w').write('old')\nf = open('a.txt')\nf.read(1)")
            .await;
        let before = session.checkpoints().await.unwrap().pop().unwrap();
        let change = "x.append(2)\nopen('a.txt', 'w').write('new'); open('b.txt', 'w').write('b')\nf.read()\n";
        let wall = LimitsRequest { wall_time_ms: Some(300), ..LimitsRequest::default() };
        for (ending, status) in [
            ("import os; os.system('true')", Status::Violation),
            ("import os; os._exit(3)", Status::Exited),
            ("import ctypes; ctypes.string_at(0)", Status::Crashed),
            (
                "while True:\n  try: sum(range(10**6))\n  except BaseException: pass",
                Status::Timeout,
            ),
        ] {
            let code = format!("{change}{ending}");
            let outcome = session.run(Request { limits: wall, ..request(&code) }).await.unwrap();
            assert_eq!(
                (outcome.status, kind(&outcome)),
                (status, StateKind::Rewound),
                "{outcome:?}"
            );
            let state = outcome.state.unwrap();
            assert!(
                state.rewindable && state.checkpoint.as_deref() == Some(&*before.id),
                "{state:?}"
            );
            assert_eq!(outcome.artifacts.len(), 2, "what it made is still told");
            let files: Vec<_> = session.files().unwrap().into_iter().map(|f| f.path).collect();
            assert_eq!(files, ["a.txt"]);
            let now = run(&session, "print(x, open('a.txt').read(), f.read())\nf.seek(1)").await;
            assert_eq!(now.stdout.text, "[1] old ld\n", "{:?}", now.exception);
            session.rewind(&before.id).await.unwrap();
        }
    });
}

#[test]
fn a_checkpoint_is_returned_to_as_often_as_one_likes() {
    in_session(|session| async move {
        said(&session, "x = 0").await;
        let zero = session.checkpoint(Some("zero".into())).await.unwrap();
        for _ in 0..3 {
            assert_eq!(said(&session, "x += 1\nprint(x)").await, "1\n");
            assert_eq!(said(&session, "x += 1\nprint(x)").await, "2\n");
            let state = session.rewind("zero").await.unwrap();
            assert_eq!(state.checkpoint.as_ref(), Some(&zero.id));
        }
        // Beyond the eight that are kept automatically.
        for n in 1..=12 {
            assert_eq!(said(&session, "x += 1\nprint(x)").await, format!("{n}\n"));
        }
        session.rewind("zero").await.unwrap();
        assert_eq!(said(&session, "print(x)").await, "0\n");
        session.rewind("start").await.unwrap();
        assert_eq!(run(&session, "x").await.exception.unwrap().r#type, "NameError");
        session.rewind("zero").await.unwrap();
        assert_eq!(said(&session, "print(x)").await, "0\n");
        let error = session.rewind("never").await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (Kind::Missing, "checkpoint_unknown"));
    });
}

#[test]
fn one_can_go_forward_again_after_going_back() {
    in_session(|session| async move {
        let one = run(&session, "x = 1").await.id;
        let two = run(&session, "x = 2").await.id;
        session.rewind(&one).await.unwrap();
        assert_eq!(said(&session, "print(x)").await, "1\n");
        session.rewind(&two).await.unwrap();
        assert_eq!(said(&session, "print(x)").await, "2\n");
    });
}

#[test]
fn with_threads_there_is_no_way_back_and_the_outcome_says_so() {
    in_session(|session| async move {
        said(&session, "x = 1").await;
        said(&session, "import threading, time\nstop = threading.Event()\nt = threading.Thread(target=stop.wait)\nt.start()").await;
        let outcome = run(&session, "x = 2").await;
        let state = outcome.state.unwrap();
        assert_eq!((state.kind, state.rewindable), (StateKind::Kept, false));
        assert!(state.message.contains("threads"), "{}", state.message);
        let lost = run(&session, "import os; os._exit(0)").await;
        assert_eq!(kind(&lost), StateKind::Rewound);
        assert!(!lost.state.unwrap().rewindable);
        assert_eq!(said(&session, "print(x)").await, "1\n");
        assert!(run(&session, "x").await.state.unwrap().rewindable);
    });
}

#[test]
fn files_come_and_go_at_any_time() {
    in_session(|session| async move {
        let file = InputFile { path: "in/a.csv".into(), content: b"1,2".to_vec() };
        session.put_file(&file).unwrap();
        assert_eq!(said(&session, "print(open('in/a.csv').read())").await, "1,2\n");
        let outcome = run(&session, "open('in/a.csv', 'a').write(',3')").await;
        assert_eq!(outcome.artifacts[0].path, "in/a.csv");
        assert_eq!(session.get_file("in/a.csv").unwrap(), b"1,2,3");
        // What was put in before a run that goes wrong stays.
        session.put_file(&InputFile { path: "b".into(), content: b"b".to_vec() }).unwrap();
        run(&session, "import os; os.remove('b'); os._exit(1)").await;
        assert_eq!(session.get_file("b").unwrap(), b"b");
        session.remove_file("b").unwrap();
        assert_eq!(session.get_file("b").unwrap_err().code(), "file_unknown");
        assert_eq!(session.get_file("../x").unwrap_err().code(), "input_file_not_placeable");
    });
}

#[test]
fn variables_are_listed_and_shown_in_part() {
    in_session(|session| async move {
        said(&session, "n = 3\nnumbers = list(range(1000))\nimport os\n_hidden = 1").await;
        let variables = session.variables().await.unwrap();
        let told: Vec<_> = variables.iter().map(|v| (&*v.name, &*v.r#type)).collect();
        assert_eq!(told, [("n", "int"), ("numbers", "list")]);
        assert_eq!(variables[1].shape, Some(vec![1000]));
        let part = session.value("numbers", Some(10), Some(13)).await.unwrap();
        assert_eq!(part.text(), Some("[10, 11, 12]"));
        let error = session.value("nothing", None, None).await.unwrap_err();
        assert!(error.to_string().contains("KeyError"), "{error}");
        let before = session.checkpoint(None).await.unwrap();
        said(&session, "n = 4\nm = 'new'\ndel numbers\nopen('f', 'w').close()").await;
        let diff = session.diff(&before.id).await.unwrap();
        assert_eq!(diff.variables.added, ["m: str"]);
        assert_eq!(diff.variables.removed, ["numbers: list"]);
        assert_eq!(diff.variables.changed, ["n: int"]);
        assert_eq!(diff.files.added, ["f"]);
    });
}

#[test]
fn an_interrupt_is_a_keyboard_interrupt() {
    in_session(|session| async move {
        let mut going = session
            .start(request("x = 1\nimport time\ntime.sleep(30)"), Delivery::default())
            .await
            .unwrap();
        assert_eq!(
            session.start_now(request("1"), Delivery::default()).unwrap_err().code(),
            "session_busy"
        );
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        session.interrupt();
        let outcome = going.outcome().await.unwrap();
        assert_eq!(outcome.exception.as_ref().unwrap().r#type, "KeyboardInterrupt");
        assert_eq!(kind(&outcome), StateKind::Kept);
        assert_eq!(said(&session, "print(x)").await, "1\n");
    });
}

#[test]
fn nothing_of_a_session_runs_between_its_runs() {
    in_session(|session| async move {
        said(&session, "import threading, time\nn = 0\ndef count():\n  global n\n  while True:\n    n += 1\n    time.sleep(0.001)\nthreading.Thread(target=count, daemon=True).start()\ntime.sleep(0.05)").await;
        let one: u64 = said(&session, "print(n)").await.trim().parse().unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let two: u64 = said(&session, "print(n)").await.trim().parse().unwrap();
        assert!(one > 5 && two - one < 100, "{one} {two}");
    });
}

#[test]
fn a_loop_of_asyncio_lives_on() {
    in_session(|session| async move {
        said(&session, "import asyncio\nq = asyncio.Queue()\nasync def later():\n  await asyncio.sleep(0.01)\n  await q.put('done')\nt = asyncio.create_task(later())\nawait asyncio.sleep(0)").await;
        assert_eq!(said(&session, "print(await q.get())").await, "done\n");
    });
}

#[test]
fn a_session_that_is_closed_is_gone() {
    block_on(async {
        let engine = engine();
        let session = open(&engine).await;
        let id = session.id().to_owned();
        assert_eq!(engine.sessions(None).len(), 1);
        assert!(engine.sessions(Some("other")).is_empty());
        said(&session, "x = 1").await;
        engine.session(&id).unwrap().close().await;
        assert_eq!(session.run(request("1")).await.unwrap_err().code(), "session_unknown");
        assert!(engine.session(&id).is_none());
        let options = SessionOptions { idle_timeout_ms: Some(100), ..SessionOptions::default() };
        let short = engine.open_session(options, None).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        assert_eq!(short.run(request("1")).await.unwrap_err().code(), "session_unknown");
        engine.shutdown().await;
    });
}

#[test]
fn branches_go_on_each_by_itself() {
    in_session(|session| async move {
        said(&session, "x = [1]\nopen('a.txt', 'w').write('one\\n')\nf = open('a.txt', 'r+')\nf.readline()\nimport os\nos.mkdir('d')\nos.chdir('d')").await;
        let branches = session.fork(3).await.unwrap();
        let outcomes = futures(branches.iter().enumerate().map(|(n, branch)| async move {
            let code = format!("x.append({n})\nf.write('branch {n}')\nf.flush()\nopen('own', 'w').write('{n}')\nprint(x, os.getcwd())");
            said(branch, &code).await
        }))
        .await;
        assert_eq!(
            outcomes,
            ["[1, 0] /mnt/data/d\n", "[1, 1] /mnt/data/d\n", "[1, 2] /mnt/data/d\n"]
        );
        // The trunk has seen nothing of it.
        assert_eq!(
            said(&session, "print(x, open('/mnt/data/a.txt').read(), os.listdir('.'))").await,
            "[1] one\n []\n"
        );
        for (n, branch) in branches.iter().enumerate() {
            assert_eq!(branch.get_file("a.txt").unwrap(), format!("one\nbranch {n}").as_bytes());
            assert_eq!(branch.info().parent.as_deref(), Some(session.id()));
        }
        // A branch rewinds, times out and is forked as any session.
        run(&branches[1], "x.clear(); os._exit(1)").await;
        assert_eq!(said(&branches[1], "print(x)").await, "[1, 1]\n");
        let leaf = branches[1].fork(1).await.unwrap().pop().unwrap();
        assert_eq!(said(&leaf, "x.append('leaf')\nprint(x)").await, "[1, 1, 'leaf']\n");
        let stdin = Request { stdin: Some("typed".into()), ..request("print(input())") };
        assert_eq!(branches[2].run(stdin).await.unwrap().stdout.text, "typed\n");
        session.adopt(leaf).await.unwrap();
        assert_eq!(said(&session, "print(x, open('own').read())").await, "[1, 1, 'leaf'] 1\n");
        assert_eq!(session.get_file("a.txt").unwrap(), b"one\nbranch 1");
    });
}

#[test]
fn a_branch_is_as_enclosed_as_its_trunk() {
    in_session(|session| async move {
        let branch = session.fork(1).await.unwrap().pop().unwrap();
        for attempt in [
            "open('/usr/x', 'w')",
            "open('/mnt/x', 'w')",
            "os.mkdir('/mnt/new')",
            "os.chown('f', 0, 0)",
            "open('/etc/shadow')",
            "os.chroot('/mnt/data')",
            "os.setuid(0)",
            "ctypes.CDLL(None).unshare(0x10000000) and bad()",
            "ctypes.CDLL(None).mount(b'', b'/mnt/data', b'tmpfs', 0, None) and bad()",
            "ctypes.CDLL(None).fork() > 0 or bad()",
        ] {
            let setup =
                "import os, ctypes\ndef bad(): raise OSError('refused')\nopen('f', 'w').close()\n";
            let code = format!("{setup}{attempt}");
            let lenient = Request { policy: Policy::Lenient, ..request(&code) };
            let in_branch = branch.run(lenient.clone()).await.unwrap();
            assert_eq!(in_branch.status, Status::Exception, "{attempt}: {in_branch:?}");
            assert_eq!(session.run(lenient).await.unwrap().status, Status::Exception, "{attempt}");
        }
        // The controls: what a guest may do it may in a branch.
        said(&branch, "open('f', 'w').write('x'); os.rename('f', 'g'); os.makedirs('a/b')").await;
    });
}

/// Waits for all of some futures side by side.
async fn futures<T: Send + 'static>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut results = Vec::new();
    let all: Vec<_> = all.map(Box::pin).collect();
    for future in all {
        results.push(future.await);
    }
    results
}
