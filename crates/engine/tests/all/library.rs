//! The library as its users have it.

use execute_python_engine::protocol::{Event, InputFile, LimitsRequest, Request, Status};
use execute_python_engine::{Config, Delivery, Engine, Kind};

use crate::common::{block_on, engine, outcome_of};

#[test]
fn events_come_in_order_and_the_last_is_the_outcome() {
    let code = "import sys\nprint('a')\ndisplay(1)\nprint('b', file=sys.stderr)\n2".into();
    let events = block_on(async {
        let engine = engine();
        let request = Request { code, ..Request::default() };
        let mut run = engine.start(request, Delivery::Inline).await.unwrap();
        let mut events = Vec::new();
        while let Some(event) = run.next().await {
            events.push(match event {
                Event::Started { environment, .. } => format!("started in {environment}"),
                Event::Stdout { text } => format!("out {text}"),
                Event::Stderr { text } => format!("err {text}"),
                Event::Display { display } => format!("display {}", display.text().unwrap()),
                Event::Finished { outcome } => {
                    format!("finished {}", outcome.value.unwrap().text().unwrap())
                }
                other => format!("{other:?}"),
            });
        }
        engine.shutdown().await;
        events
    });
    assert_eq!(events, ["started in base", "out a\n", "display 1", "err b\n", "finished 2"]);
}

#[test]
fn output_of_a_short_program_is_never_lost() {
    block_on(async {
        let engine = Engine::new(Config { pool: 4, ..Config::default() }).unwrap();
        engine.warm("base").await.unwrap();
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let engine = engine.clone();
                tokio::spawn(async move {
                    for n in 0..40 {
                        let code = format!("print({n})");
                        let request = Request { code, ..Request::default() };
                        let outcome = engine.run(request).await.unwrap();
                        assert_eq!(outcome.stdout.text, format!("{n}\n"));
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        engine.shutdown().await;
    });
}

#[test]
fn input_files_are_seen_and_only_changed_ones_come_back() {
    let file = |path: &str, content: &str| InputFile { path: path.into(), content: content.into() };
    let outcome = outcome_of(Request {
        code: "open('b/two.txt', 'a').write('!')\nprint(open('one.txt').read())".into(),
        files: vec![file("one.txt", "1"), file("b/two.txt", "2")],
        ..Request::default()
    });
    assert_eq!((outcome.status, outcome.stdout.text.as_str()), (Status::Ok, "1\n"));
    let [artifact] = &outcome.artifacts[..] else { panic!("{:?}", outcome.artifacts) };
    assert_eq!((artifact.path.as_str(), artifact.bytes), ("b/two.txt", 2));
    assert_eq!(artifact.content.as_deref(), Some("MiE="));
}

#[test]
fn artifacts_can_go_into_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("out");
    block_on(async {
        let engine = engine();
        let code = "import os\nos.mkdir('d')\nopen('d/a.txt','w').write('hi')".into();
        let request = Request { code, ..Request::default() };
        let mut run = engine.start(request, Delivery::Folder(place.clone())).await.unwrap();
        let outcome = run.outcome().await.unwrap();
        assert_eq!(outcome.artifacts[0].content, None);
        engine.shutdown().await;
    });
    assert_eq!(std::fs::read_to_string(place.join("d/a.txt")).unwrap(), "hi");
}

#[test]
fn a_request_that_cannot_be_carried_out_is_refused_with_its_kind() {
    block_on(async {
        let engine = engine();
        let request = |code: &str| Request { code: code.into(), ..Request::default() };
        let above = LimitsRequest { memory_bytes: Some(u64::MAX), ..LimitsRequest::default() };
        let outside = InputFile { path: "../x".into(), content: Vec::new() };
        for (request, kind, code) in [
            (request(""), Kind::Request, "code_not_runnable"),
            (request("a\0b"), Kind::Request, "code_not_runnable"),
            (Request { limits: above, ..request("1") }, Kind::Request, "limit_above_ceiling"),
            (
                Request { environment: Some("none".into()), ..request("1") },
                Kind::Missing,
                "environment_unknown",
            ),
            (
                Request { files: vec![outside], ..request("1") },
                Kind::Request,
                "input_file_not_placeable",
            ),
        ] {
            let error = engine.run(request).await.unwrap_err();
            assert_eq!((error.kind(), error.code()), (kind, code), "{error}");
        }
        engine.shutdown().await;
    });
}
