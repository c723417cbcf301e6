//! Sessions against a Jupyter kernel, which is a live interpreter as well.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use execute_python_engine::protocol::{LimitsRequest, Request, SessionOptions, Status};
use execute_python_engine::{Engine, Session};

use crate::Effort;
use crate::measures::Result;
use crate::memory;
use crate::peers::Peers;
use crate::statistics::{Row, Times};

const STEP: &str = "x += 1";
const LITTLE: &str = "x = 0";
const MUCH: &str = "import numpy as np, pandas as pd\nx = 0\n\
    frame = pd.DataFrame(np.random.default_rng(1).random((1_310_720, 10)))";
const CHANGE: &str = "frame.iloc[0, 0] = 1";

/// Runs a kernel and one cell of it for each line that it reads.
const KERNEL: &str = "\
import sys, time
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel()
client.execute_interactive('x = 0')
print('ready', flush=True)
for line in sys.stdin:
    begun = time.perf_counter()
    client.execute_interactive('x += 1')
    print(time.perf_counter() - begun, flush=True)
client.stop_channels(); manager.shutdown_kernel(now=True)";

/// A Jupyter kernel.
struct Kernel {
    process: Child,
    say: ChildStdin,
    hear: BufReader<ChildStdout>,
}

impl Kernel {
    fn start() -> Result<Kernel> {
        let folder = std::env::temp_dir().join("execute-python-benches-jupyter");
        let python = folder.join("bin/python3");
        if !python.exists() {
            let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status()?;
            let pip = ["-m", "pip", "install", "--quiet", "jupyter_client", "ipykernel"];
            if !made.success() || !Command::new(&python).args(pip).status()?.success() {
                return Err("cannot install a Jupyter kernel".into());
            }
        }
        let mut process = Command::new(python)
            .args(["-c", KERNEL])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let say = process.stdin.take().ok_or("no stdin")?;
        let hear = BufReader::new(process.stdout.take().ok_or("no stdout")?);
        let mut kernel = Kernel { process, say, hear };
        kernel.line()?;
        Ok(kernel)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.hear.read_line(&mut line)?;
        Ok(line)
    }

    fn step(&mut self) -> Result<Duration> {
        self.say.write_all(b"\n")?;
        Ok(Duration::from_secs_f64(self.line()?.trim().parse()?))
    }

    fn stop(self) -> Result<()> {
        let Kernel { mut process, say, .. } = self;
        drop(say);
        process.wait()?;
        Ok(())
    }
}

async fn open(engine: &Engine, environment: &str, checkpoints: Option<u32>) -> Result<Session> {
    let options = SessionOptions {
        environment: Some(environment.into()),
        limits: LimitsRequest { memory_bytes: Some(1 << 30), ..LimitsRequest::default() },
        checkpoints,
        ..SessionOptions::default()
    };
    Ok(engine.open_session(options, None).await?)
}

async fn run(session: &Session, code: &str) -> Result<Duration> {
    let started = Instant::now();
    let outcome = session.run(Request { code: code.into(), ..Request::default() }).await?;
    let taken = started.elapsed();
    if outcome.status != Status::Ok {
        return Err(format!("{}: {:?}", outcome.summary, outcome.state).into());
    }
    Ok(taken)
}

/// Everything about sessions.
pub(crate) async fn all(
    engine: &Engine,
    peers: &Peers,
    effort: Effort,
    folder: &Path,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let little = open(engine, "base", None).await?;
    let off = open(engine, "base", Some(0)).await?;
    let much = open(engine, "data", None).await?;
    for (session, code) in [(&little, LITTLE), (&off, LITTLE), (&much, MUCH)] {
        run(session, code).await?;
    }
    let mut kernel = Kernel::start()?;
    let mut times: [Times; 4] = Default::default();
    for _ in 0..effort.many {
        for (index, session) in [&little, &off, &much].into_iter().enumerate() {
            times[index].push(run(session, STEP).await?);
        }
        // Beside the engine, which has things to do between runs.
        let (stepped, time) = tokio::task::spawn_blocking(move || {
            let time = kernel.step().map_err(|error| error.to_string());
            (kernel, time)
        })
        .await?;
        kernel = stepped;
        times[3].push(time?);
    }
    kernel.stop()?;
    let [little_time, off_time, much_time, kernel_time] = times.map(|times| times.quantile(0.5));
    let mut row = |name: &str, ours, wanted| {
        rows.push(Row::faster(
            format!("session: {name}, against a Jupyter kernel"),
            ours,
            kernel_time,
            wanted,
        ));
    };
    row("x += 1, little data", little_time, 20.0);
    row("x += 1, 100 MB of data", much_time, 5.0);
    row("x += 1, no checkpoints", off_time, 50.0);
    let (mut ours, mut plain) = (Times::default(), Times::default());
    for _ in 0..effort.few {
        let started = Instant::now();
        let checkpoint = much.checkpoint(Some("here".into())).await?;
        run(&much, CHANGE).await?;
        much.rewind(&checkpoint.id).await?;
        ours.push(started.elapsed());
        plain.push(peers.plain("pass", folder)?);
    }
    let name = "session: checkpoint, run and rewind with 100 MB, against the start of python3";
    rows.push(Row::faster(name, ours.quantile(0.5), plain.quantile(0.5), 3.0));
    let mut forks = Times::default();
    for _ in 0..effort.few {
        let started = Instant::now();
        let branches = much.fork(8).await?;
        forks.push(started.elapsed());
        for branch in branches {
            branch.close().await;
        }
    }
    rows.push(Row::at_most(
        "session: fork into 8 branches with 100 MB",
        forks.quantile(0.5),
        30.0,
        "ms",
    ));
    for session in [little, off, much] {
        session.close().await;
    }
    rows.push(idle(engine).await?);
    Ok(())
}

/// Memory of an idle session of `data` that has had a run, and one-shot runs beside many of them.
async fn idle(engine: &Engine) -> Result<Row> {
    const MANY: usize = 100;
    let before = memory::used();
    let mut sessions = Vec::new();
    for _ in 0..MANY {
        let session = open(engine, "data", None).await?;
        run(&session, "x = 1").await?;
        sessions.push(session);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let each = (memory::used() - before) / MANY as f64;
    for session in sessions {
        session.close().await;
    }
    Ok(Row::at_most("session: memory of an idle one of data, after a run", each, 2.0, "MB"))
}
