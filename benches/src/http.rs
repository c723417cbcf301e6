//! What the service costs on top of the engine: one in this process on a thread of its own, and clients
//! that do as little as clients can.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use execute_python_engine::protocol::Request;
use execute_python_engine::{Config, Engine};
use execute_python_server::{Service, bind, serve};
use tokio::sync::oneshot;

use crate::Effort;
use crate::measures::Result;
use crate::peers::Peers;
use crate::statistics::{Row, Times};

const PRINT: &str = r#"{"code":"print(1+1)","environment":"base"}"#;
/// Tells when it wrote.
const TELL: &str = r#"{"code":"import time\nprint(time.time(), flush=True)\ntime.sleep(0.005)","environment":"base","stream":true}"#;
const CLIENTS: usize = 16;

/// What is asked of the service, in the order of the table.
pub(crate) async fn all(
    engine: &Engine,
    peers: &Peers,
    effort: Effort,
    folder: &Path,
) -> Result<Vec<Row>> {
    let data_dir = folder.join("service");
    let served = Served::start(&data_dir)?;
    let mut rows = latency(engine, peers, &served, effort, folder).await?;
    rows.push(first_byte(&served, effort)?);
    rows.push(throughput(engine, &served, effort).await?);
    served.stop();
    std::fs::remove_dir_all(data_dir)?;
    Ok(rows)
}

async fn latency(
    engine: &Engine,
    peers: &Peers,
    served: &Served,
    effort: Effort,
    folder: &Path,
) -> Result<Vec<Row>> {
    let mut client = served.client()?;
    let (mut plain, mut library, mut http) = <(Times, Times, Times)>::default();
    for _ in 0..effort.many {
        plain.push(peers.plain("print(1+1)", folder)?);
        rest().await;
        let begun = Instant::now();
        engine.run(print()).await?;
        library.push(begun.elapsed());
        rest().await;
        let begun = Instant::now();
        client.run(PRINT)?;
        http.push(begun.elapsed());
        rest().await;
    }
    let half = |times: &Times| times.quantile(0.5);
    let (ours, slow) = (half(&http), http.quantile(0.99));
    Ok(vec![
        Row::faster("POST /v1/runs, print(1+1), kept alive: p50", ours, half(&plain), 12.0),
        Row::faster("POST /v1/runs, print(1+1), kept alive: p99", slow, half(&plain), 4.0),
        Row::above("  the same above the library's call", ours, half(&library), 0.4),
    ])
}

fn print() -> Request {
    let code = "print(1+1)".into();
    Request { code, environment: Some("base".into()), ..Request::default() }
}

/// Lets the pools fill up again.
async fn rest() {
    tokio::time::sleep(Duration::from_millis(15)).await;
}

/// From the guest's write to the client's read.
fn first_byte(served: &Served, effort: Effort) -> Result<Row> {
    let mut times = Times::default();
    for _ in 0..effort.many {
        let mut client = served.client()?;
        client.send(TELL)?;
        let written = loop {
            let line = client.line()?;
            if let Some(rest) = line.strip_prefix(r#"data: {"type":"stdout","text":""#) {
                break rest.split('\\').next().unwrap_or_default().parse::<f64>()?;
            }
        };
        let read = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
        times.push(Duration::try_from_secs_f64(read - written).unwrap_or_default());
        std::thread::sleep(Duration::from_millis(15));
    }
    Ok(Row::above("first byte after the guest wrote it: p50", times.quantile(0.5), 0.0, 1.0))
}

async fn throughput(engine: &Engine, served: &Served, effort: Effort) -> Result<Row> {
    let time = Duration::from_secs(effort.seconds);
    let own = engine_rate(engine, time).await?;
    let until = Instant::now() + time;
    let counts: Vec<Result<u32>> = std::thread::scope(|scope| {
        let client = || {
            scope.spawn(|| -> std::result::Result<u32, String> {
                let mut client = served.client().map_err(|error| error.to_string())?;
                let mut count = 0;
                while Instant::now() < until {
                    client.run(PRINT).map_err(|error| error.to_string())?;
                    count += 1;
                }
                Ok(count)
            })
        };
        let clients: Vec<_> = (0..CLIENTS).map(|_| client()).collect();
        let ended = clients.into_iter().map(|client| match client.join() {
            Ok(counted) => counted.map_err(Into::into),
            Err(_) => Err("a client panicked".into()),
        });
        ended.collect()
    });
    let count = counts.into_iter().sum::<Result<u32>>()?;
    let rate = f64::from(count) / time.as_secs_f64();
    Ok(Row::more("runs over HTTP at concurrency 16, of the engine's", rate, own, 0.9))
}

async fn engine_rate(engine: &Engine, time: Duration) -> Result<f64> {
    let until = Instant::now() + time;
    let tasks: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move {
                let mut count = 0_u32;
                while Instant::now() < until && engine.run(print()).await.is_ok() {
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut count = 0;
    for task in tasks {
        count += task.await?;
    }
    Ok(f64::from(count) / time.as_secs_f64())
}

/// A service on a thread of its own.
struct Served {
    address: String,
    stop: oneshot::Sender<()>,
    thread: std::thread::JoinHandle<std::result::Result<(), String>>,
}

impl Served {
    fn start(data_dir: &Path) -> Result<Self> {
        let (say, told) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let config = execute_python_server::Config {
            listen: ([127, 0, 0, 1], 0).into(),
            data_dir: Some(data_dir.to_owned()),
            ..Default::default()
        };
        let thread = std::thread::spawn(move || -> std::result::Result<(), String> {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            let served = async {
                let engine = Engine::new(Config { pool: 8, ..Config::default() })?;
                engine.warm("base").await?;
                let service = Service::new(engine.clone(), config).await?;
                let bound = bind(&service).await?;
                say.send(bound.url())?;
                serve(bound, service, async { drop(stopped.await) }).await?;
                engine.shutdown().await;
                Ok::<_, Box<dyn std::error::Error>>(())
            };
            runtime.block_on(served).map_err(|error| error.to_string())
        });
        let address = told.recv()?.trim_start_matches("http://").to_owned();
        Ok(Self { address, stop, thread })
    }

    fn client(&self) -> Result<Client> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        Ok(Client(BufReader::new(stream)))
    }

    fn stop(self) {
        self.stop.send(()).ok();
        if let Ok(Err(error)) = self.thread.join() {
            eprintln!("the service: {error}");
        }
    }
}

/// A client with one connection.
struct Client(BufReader<TcpStream>);

impl Client {
    fn send(&mut self, body: &str) -> Result<()> {
        let length = body.len();
        let request = format!(
            "POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        Ok(self.0.get_mut().write_all(request.as_bytes())?)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Err("the service closed the connection".into());
        }
        Ok(line)
    }

    /// Runs to the outcome.
    fn run(&mut self, body: &str) -> Result<()> {
        self.send(body)?;
        let status = self.line()?;
        let mut length = 0;
        loop {
            let line = self.line()?;
            match line.trim_end().split_once(": ") {
                Some(("content-length", value)) => length = value.parse()?,
                Some(_) => {}
                None => break,
            }
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer)?;
        let answer = String::from_utf8(answer)?;
        if !status.contains(" 200 ") || !answer.contains(r#""status":"ok""#) {
            return Err(format!("{status}{answer}").into());
        }
        Ok(())
    }
}
