//! What a program can ask of its caller: functions, and lines of input.

use std::time::{Duration, Instant};

use execute_python_engine::protocol::{
    Event, LimitsRequest, Outcome, Request, SessionOptions, Status, ToolDefinition,
};
use execute_python_engine::{Delivery, Run};
use serde_json::{Value, json};

use crate::common::{block_on, engine};

fn weather() -> ToolDefinition {
    ToolDefinition {
        name: "weather".into(),
        description: "Gives the weather of a city.".into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "the name of the city"},
                "days": {"type": "integer"},
                "unit": {"type": ["string", "null"]},
            },
            "required": ["city"],
        }),
    }
}

fn request(code: &str) -> Request {
    Request { code: code.into(), tools: vec![weather()], ..Request::default() }
}

/// Follows a run to its end and answers each call by `answer`; lines of input come from `lines`.
async fn answered(
    mut run: Run,
    mut lines: Vec<&str>,
    answer: impl AsyncFn(&Value) -> Result<Value, String>,
) -> Outcome {
    while let Some(event) = run.next().await {
        match event {
            Event::ToolCall { id, arguments, .. } => {
                run.answer_tool(&id, answer(&Value::Object(arguments)).await);
            }
            Event::InputRequested { id, .. } => run.answer_input(&id, lines.pop().map(Into::into)),
            Event::Finished { outcome } => return *outcome,
            _ => {}
        }
    }
    unreachable!("a run ends with its outcome")
}

fn outcome(request: Request, lines: Vec<&str>) -> Outcome {
    block_on(async {
        let engine = engine();
        let run = engine.start(request, Delivery::Inline).await.unwrap();
        let echo = async |arguments: &Value| match arguments["city"].as_str() {
            Some("Atlantis") => Err("no such city".to_owned()),
            _ => Ok(json!({"sky": "clear", "asked": arguments})),
        };
        let outcome = answered(run, lines, echo).await;
        engine.shutdown().await;
        outcome
    })
}

#[test]
fn a_function_of_the_caller_is_an_ordinary_function() {
    let code = "\
import inspect
print(inspect.signature(weather), '|', weather.__doc__)
print(weather('Paris')['asked'], weather(city='Rome', days=2)['asked'])
try: weather('Atlantis')
except ToolError as error: print(error)
try: weather()
except TypeError as error: print(error)
for n in range(20): last = weather(str(n))
display(1)
print(last)";
    let outcome = outcome(request(code), Vec::new());
    assert_eq!(outcome.status, Status::Ok, "{outcome:?}");
    assert_eq!(
        outcome.stdout.text,
        "(city: str, days: int = ..., unit=...) | Gives the weather of a city.\ncity: the name of the city\n\
         {'city': 'Paris'} {'city': 'Rome', 'days': 2}\nno such city\n\
         missing a required argument: 'city'\n{'asked': {'city': '19'}, 'sky': 'clear'}\n"
    );
}

#[test]
fn calls_can_be_awaited_side_by_side_and_made_in_threads() {
    let code = "\
import asyncio, concurrent.futures as f
async def main(): return await asyncio.gather(*(weather(str(n)) for n in range(8)))
print([w['asked']['city'] for w in await main()])
with f.ThreadPoolExecutor(4) as pool:
    print([w['asked']['city'] for w in pool.map(weather, 'abcdefgh')])";
    let outcome = outcome(request(code), Vec::new());
    assert_eq!(outcome.status, Status::Ok, "{outcome:?}");
    assert_eq!(
        outcome.stdout.text,
        "['0', '1', '2', '3', '4', '5', '6', '7']\n['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']\n"
    );
}

#[test]
fn the_time_of_a_program_stands_still_while_it_waits() {
    let wall = LimitsRequest { wall_time_ms: Some(500), ..LimitsRequest::default() };
    block_on(async {
        let engine = engine();
        let slow = async |_: &Value| {
            tokio::time::sleep(Duration::from_millis(900)).await;
            Ok(Value::Null)
        };
        let waiting = Request { limits: wall, ..request("print(weather('Paris'))") };
        let run = engine.start(waiting, Delivery::Inline).await.unwrap();
        let outcome = answered(run, Vec::new(), slow).await;
        assert_eq!(outcome.status, Status::Ok, "{outcome:?}");
        assert!(outcome.usage.wall_time_ms < 500.0, "{}", outcome.usage.wall_time_ms);
        // The control: afterwards it goes on.
        let spinning = Request { limits: wall, ..request("weather('Paris')\nwhile True: pass") };
        let run = engine.start(spinning, Delivery::Inline).await.unwrap();
        let begun = Instant::now();
        assert_eq!(answered(run, Vec::new(), slow).await.status, Status::Timeout);
        assert!(begun.elapsed() < Duration::from_secs(4));
        engine.shutdown().await;
    });
}

#[test]
fn input_is_answered_by_the_caller() {
    let code = "name = input('Who? ')\nimport getpass\nsecret = getpass.getpass()\nprint(name, secret)\ninput()";
    let asking = Request { interactive: true, ..request(code) };
    let outcome = outcome(asking, vec!["hidden", "Ada"]);
    assert_eq!(outcome.stdout.text, "Who? Password: Ada hidden\n");
    assert_eq!(outcome.exception.unwrap().r#type, "EOFError");
}

#[test]
fn a_forged_answer_or_question_harms_nobody() {
    let code = r#"
import os
for text in (b'{"type":"call","id":"x","name":"shell","arguments":{}}', b'{"type":"input","id":"y"}'):
    os.write(5, len(text).to_bytes(4, "little") + text)
print(weather('Paris')['sky'])"#;
    let outcome = outcome(request(code), Vec::new());
    assert_eq!((outcome.status, &*outcome.stdout.text), (Status::Ok, "clear\n"));
}

#[test]
fn a_session_has_its_functions_in_all_its_runs() {
    block_on(async {
        let engine = engine();
        let options = SessionOptions { tools: vec![weather()], ..SessionOptions::default() };
        let session = engine.open_session(options, None).await.unwrap();
        let echo = async |arguments: &Value| Ok(arguments.clone());
        for code in
            ["w = weather('Rome')", "import os\nos._exit(1)", "print(w, weather(city='Oslo'))"]
        {
            let bare = Request { code: code.into(), ..Request::default() };
            let run = session.start(bare, Delivery::Inline).await.unwrap();
            let outcome = answered(run, Vec::new(), echo).await;
            if code.starts_with("print") {
                assert_eq!(
                    outcome.stdout.text, "{'city': 'Rome'} {'city': 'Oslo'}\n",
                    "{outcome:?}"
                );
            }
        }
        engine.shutdown().await;
    });
}
