//! What is measured.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use execute_python_engine::Engine;
use execute_python_engine::protocol::{LimitsRequest, Request, Status};

use crate::Effort;
use crate::memory;
use crate::peers::Peers;
use crate::sessions;
use crate::statistics::{Row, Times};

const PRINT: &str = "print(1+1)";
const IMPORTS: &str =
    "import numpy, pandas, scipy, scipy.stats\nimport matplotlib.pyplot as plt\nprint(1+1)";
const PLOT: &str = "\
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
frame = pd.DataFrame({'x': np.arange(200), 'y': np.random.default_rng(1).normal(size=200).cumsum()})
frame['mean'] = frame['y'].rolling(10).mean()
ax = frame.plot(x='x', y=['y', 'mean'], figsize=(7, 4), title='a walk')
ax.set_ylabel('value')
plt.savefig('walk.png')
plt.close()";
const HEAVY: [(&str, &str, &str); 3] = [
    ("base", "Python loops", "s=0\nfor i in range(6_000_000): s+=i*i%7"),
    (
        "data",
        "numpy matmul",
        "import numpy as np\na=np.random.default_rng(1).random((700,700))\nfor _ in range(40): b=a@a",
    ),
    (
        "data",
        "pandas group-by",
        "import numpy as np, pandas as pd\nr=np.random.default_rng(1)\nf=pd.DataFrame({'k':r.integers(0,1000,2_000_000),'v':r.random(2_000_000)})\nfor _ in range(12): g=f.groupby('k')['v'].mean()",
    ),
];

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Everything, in the order of the table.
pub(crate) async fn all(engine: &Engine, peers: &Peers, effort: Effort) -> Result<Vec<Row>> {
    let folder = std::env::temp_dir().join("execute-python-benches");
    let mut rows = Vec::new();
    if std::env::args().any(|argument| argument == "--sessions") {
        sessions::all(engine, peers, effort, &folder, &mut rows).await?;
        return Ok(rows);
    }
    rows.push(memory_of_workers());
    warm(engine, peers, effort, &folder, &mut rows).await?;
    warm_data(engine, peers, effort, &folder, &mut rows).await?;
    plot(engine, peers, effort, &folder, &mut rows).await?;
    throughput(engine, peers, effort, &folder, &mut rows).await?;
    whole_process(peers, effort, &folder, &mut rows)?;
    heavy(engine, peers, effort, &folder, &mut rows).await?;
    sessions::all(engine, peers, effort, &folder, &mut rows).await?;
    Ok(rows)
}

fn request(code: &str, environment: &str) -> Request {
    Request { code: code.into(), environment: Some(environment.into()), ..Request::default() }
}

/// The same with a limit of its own, so that no waiting worker fits and one is forked.
fn fresh(code: &str, environment: &str) -> Request {
    let limits = LimitsRequest { memory_bytes: Some(255 << 20), ..LimitsRequest::default() };
    Request { limits, ..request(code, environment) }
}

/// Runs to the outcome and gives the time of it.
async fn run(engine: &Engine, request: Request) -> Result<Duration> {
    let started = Instant::now();
    let outcome = engine.run(request).await?;
    let taken = started.elapsed();
    if outcome.status != Status::Ok {
        return Err(format!("{}: {}", outcome.summary, outcome.stderr.text).into());
    }
    Ok(taken)
}

/// Lets the pool fill up again.
async fn rest() {
    tokio::time::sleep(Duration::from_millis(15)).await;
}

async fn warm(
    engine: &Engine,
    peers: &Peers,
    effort: Effort,
    folder: &Path,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let (mut plain, mut wrapped) = (Times::default(), Times::default());
    let (mut ours, mut forked) = (Times::default(), Times::default());
    for _ in 0..effort.many {
        plain.push(peers.plain(PRINT, folder)?);
        ours.push(run(engine, request(PRINT, "base")).await?);
        rest().await;
        if peers.bubblewrap {
            wrapped.push(peers.wrapped(PRINT, folder)?);
        }
        forked.push(run(engine, fresh(PRINT, "base")).await?);
        rest().await;
    }
    let (half, slow) = (plain.quantile(0.5), ours.quantile(0.99));
    rows.push(Row::faster("print(1+1), base, warm: p50", ours.quantile(0.5), half, 20.0));
    rows.push(Row::faster("print(1+1), base, warm: p99", slow, half, 4.0));
    if peers.bubblewrap {
        let bubblewrap = wrapped.quantile(0.5);
        let name = "  the same against bubblewrap";
        rows.push(Row::faster(name, ours.quantile(0.5), bubblewrap, 20.0));
    }
    let name = "print(1+1), base, past the pool: p50";
    rows.push(Row::faster(name, forked.quantile(0.5), half, 5.0));
    Ok(())
}

async fn warm_data(
    engine: &Engine,
    peers: &Peers,
    effort: Effort,
    folder: &Path,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let (mut plain, mut ours, mut forked) = Default::default();
    for _ in 0..effort.few {
        Times::push(&mut plain, peers.plain(IMPORTS, folder)?);
        for _ in 0..10 {
            Times::push(&mut ours, run(engine, request(IMPORTS, "data")).await?);
            rest().await;
            Times::push(&mut forked, run(engine, fresh(IMPORTS, "data")).await?);
            rest().await;
        }
    }
    let half = plain.quantile(0.5);
    rows.push(Row::faster("imports and print, data, warm: p50", ours.quantile(0.5), half, 800.0));
    let name = "imports and print, data, past the pool: p50";
    rows.push(Row::faster(name, forked.quantile(0.5), half, 150.0));
    Ok(())
}

async fn plot(
    engine: &Engine,
    peers: &Peers,
    effort: Effort,
    folder: &Path,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let (mut plain, mut ours) = Default::default();
    for _ in 0..effort.few {
        Times::push(&mut plain, peers.plain(PLOT, folder)?);
        for _ in 0..3 {
            Times::push(&mut ours, run(engine, request(PLOT, "data")).await?);
            rest().await;
        }
    }
    let (ours, plain) = (ours.quantile(0.5), plain.quantile(0.5));
    rows.push(Row::faster("a plot with pandas, saved: p50", ours, plain, 9.0));
    Ok(())
}

/// Runs a second at concurrency 8.
async fn throughput(
    engine: &Engine,
    peers: &Peers,
    effort: Effort,
    folder: &Path,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let time = Duration::from_secs(effort.seconds);
    let plain = plain_rate(peers, time, folder);
    for (environment, times) in [("base", 6.0), ("data", 3.5)] {
        let until = Instant::now() + time;
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let engine = engine.clone();
                tokio::spawn(async move {
                    let mut count = 0_u32;
                    while Instant::now() < until {
                        let outcome = engine.run(request(PRINT, environment)).await;
                        if !outcome.is_ok_and(|outcome| outcome.status == Status::Ok) {
                            return None;
                        }
                        count += 1;
                    }
                    Some(count)
                })
            })
            .collect();
        let mut count = 0;
        for task in tasks {
            count += task.await?.ok_or("a run failed under load")?;
        }
        let rate = f64::from(count) / time.as_secs_f64();
        let name = format!("print(1+1) at concurrency 8, {environment}");
        rows.push(Row::more(name, rate, plain, times));
    }
    Ok(())
}

fn plain_rate(peers: &Peers, time: Duration, folder: &Path) -> f64 {
    let until = Instant::now() + time;
    let counts: Vec<u32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0;
                    while Instant::now() < until && peers.plain(PRINT, folder).is_ok() {
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    f64::from(counts.iter().sum::<u32>()) / time.as_secs_f64()
}

/// The command line as a whole, without a running engine.
fn whole_process(peers: &Peers, effort: Effort, folder: &Path, rows: &mut Vec<Row>) -> Result<()> {
    let program = PathBuf::from("target/release/execute-python");
    if !program.exists() {
        eprintln!("left out: build the command line first (`cargo build --release`)");
        return Ok(());
    }
    let (mut plain, mut ours) = (Times::default(), Times::default());
    for _ in 0..effort.many / 4 {
        plain.push(peers.plain(PRINT, folder)?);
        let started = Instant::now();
        let status = Command::new(&program)
            .args(["run", "--env", "base", "-c", PRINT])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        ours.push(started.elapsed());
        if !status.success() {
            return Err("the command line failed".into());
        }
    }
    let (ours, plain) = (ours.quantile(0.5), plain.quantile(0.5));
    let row = Row::faster("execute-python run, whole process: p50", ours, plain, 1.0 / 3.0);
    rows.push(Row { wanted: "<= 3x plain".into(), ..row });
    Ok(())
}

/// Work that only the processor limits.
async fn heavy(
    engine: &Engine,
    peers: &Peers,
    effort: Effort,
    folder: &Path,
    rows: &mut Vec<Row>,
) -> Result<()> {
    for (environment, name, code) in HEAVY {
        // What is timed is the work alone, by the program itself, on both sides.
        let timed = timed(code);
        let (mut plain, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..effort.few {
            plain.push(own_time(&peers_output(peers, &timed, folder)?)?);
            let limits = LimitsRequest {
                wall_time_ms: Some(60_000),
                cpu_time_ms: Some(60_000),
                memory_bytes: Some(1 << 30),
                ..LimitsRequest::default()
            };
            let outcome = engine.run(Request { limits, ..request(&timed, environment) }).await?;
            ours.push(own_time(&outcome.stdout.text)?);
        }
        let (ours, plain) = (median(&mut ours), median(&mut plain));
        let name = format!("work alone, {name}: p50");
        let row = Row::faster(name, ours, plain, 0.97);
        rows.push(Row { wanted: ">= 0.97 of speed".into(), ..row });
    }
    Ok(())
}

fn timed(code: &str) -> String {
    format!(
        "import time\ncode = {code:?}\nns = {{}}\nexec(code, ns)\nt = time.perf_counter()\nexec(code, ns)\nprint((time.perf_counter() - t) * 1e3)"
    )
}

fn peers_output(peers: &Peers, code: &str, folder: &Path) -> Result<String> {
    let output = peers.command(folder).args(["-c", code]).output()?;
    Ok(String::from_utf8(output.stdout)?)
}

fn own_time(text: &str) -> Result<f64> {
    Ok(text.trim().parse()?)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn memory_of_workers() -> Row {
    let mut kilobytes = memory::of_workers();
    let ours = median(&mut kilobytes) / 1024.0;
    Row {
        name: "memory of a waiting worker (base and data): p50".into(),
        ours,
        peer: 1.5,
        unit: "MB",
        ratio: ours / 1.5,
        wanted: "<= 1.5 MB".into(),
        met: ours <= 1.5,
    }
}
