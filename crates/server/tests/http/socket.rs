//! A live session over a WebSocket.

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::support::{Answer as _, Server, folder};

struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    async fn open(server: &Server) -> (Self, String) {
        let info = server.post("/v1/sessions", &json!({})).answer(201).await;
        let session = format!("/v1/sessions/{}", info["id"].as_str().unwrap());
        let url = server.at(&format!("{session}/ws")).replace("http://", "ws://");
        (Self(connect_async(url).await.unwrap().0), session)
    }

    async fn say(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.next().await.unwrap().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// Says something and hears up to the first message of this type.
    async fn until(&mut self, wanted: &str) -> Value {
        loop {
            let heard = self.hear().await;
            if heard["type"] == wanted {
                return heard;
            }
            assert_ne!(heard["type"], "error", "{heard}");
        }
    }
}

#[tokio::test]
async fn a_session_is_used_over_one_connection() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let (mut socket, session) = Socket::open(&server).await;
    socket.say(&json!({ "type": "run", "code": "x = 1" })).await;
    let first = socket.until("finished").await;
    socket.say(&json!({ "type": "run", "code": "print(x); x = 2" })).await;
    assert_eq!(socket.until("stdout").await["text"], "1\n");
    socket.until("finished").await;
    socket.say(&json!({ "type": "rewind", "to": first["outcome"]["id"] })).await;
    assert_eq!(socket.until("rewound").await["state"]["kind"], "rewound");
    let code = "print(x, input('who? '))";
    socket.say(&json!({ "type": "run", "code": code, "interactive": true })).await;
    let asked = socket.until("input_requested").await;
    socket.say(&json!({ "type": "input", "id": asked["id"], "text": "me" })).await;
    let last = socket.until("finished").await;
    assert!(last["outcome"]["stdout"]["text"].as_str().unwrap().ends_with("1 me\n"), "{last}");
    assert_eq!(server.get(&session).answer(200).await["runs"], 3);
    server.stop().await;
}

#[tokio::test]
async fn a_run_is_interrupted_while_it_goes_on_and_another_one_is_refused() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let (mut socket, _) = Socket::open(&server).await;
    let code = "print('here', flush=True)\nimport time\ntime.sleep(60)";
    socket.say(&json!({ "type": "run", "code": code })).await;
    socket.until("stdout").await;
    socket.say(&json!({ "type": "run", "code": "1" })).await;
    assert_eq!(socket.hear().await["problem"]["code"], "session_busy");
    socket.say(&json!({ "type": "interrupt" })).await;
    let last = socket.until("finished").await;
    assert_eq!(last["outcome"]["exception"]["type"], "KeyboardInterrupt");
    server.stop().await;
}

#[tokio::test]
async fn what_is_not_understood_is_told_and_harms_nothing() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let (mut socket, _) = Socket::open(&server).await;
    for (message, code) in [
        ("{", "json_malformed"),
        ("[]", "field_not_valid"),
        ("{}", "field_not_valid"),
        (r#"{"type": "nonsense"}"#, "field_not_valid"),
        (r#"{"type": "run"}"#, "field_not_valid"),
        (r#"{"type": "run", "code": ""}"#, "code_not_runnable"),
        (r#"{"type": "rewind", "to": "none"}"#, "checkpoint_unknown"),
        (r#"{"type": "input", "id": "1"}"#, "session_idle"),
    ] {
        socket.0.send(Message::text(message)).await.unwrap();
        assert_eq!(socket.hear().await["problem"]["code"], code, "{message}");
    }
    socket.0.send(Message::binary(vec![0, 255])).await.unwrap();
    socket.say(&json!({ "type": "run", "code": "print('well')" })).await;
    assert_eq!(socket.until("stdout").await["text"], "well\n");
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_goes_away_ends_its_run_and_keeps_its_session() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let (mut socket, session) = Socket::open(&server).await;
    socket.say(&json!({ "type": "run", "code": "x = 1" })).await;
    socket.until("finished").await;
    let code = "print('here', flush=True)\nimport time\ntime.sleep(60)";
    socket.say(&json!({ "type": "run", "code": code })).await;
    socket.until("stdout").await;
    drop(socket);
    let body = json!({ "code": "print(x)" });
    let outcome = server.post(&format!("{session}/runs"), &body).answer(200).await;
    assert_eq!(outcome["stdout"]["text"], "1\n");
    server.stop().await;
}

#[tokio::test]
async fn a_page_of_somebody_else_opens_no_socket() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let (_, session) = Socket::open(&server).await;
    let url = server.at(&format!("{session}/ws")).replace("http://", "ws://");
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("origin", "https://evil.example".parse().unwrap());
    assert!(connect_async(request).await.unwrap_err().to_string().contains("403"));
    server.get(&format!("{session}/ws")).response(400).await;
    server.stop().await;
}
