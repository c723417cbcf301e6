//! try
use execute_python_engine::protocol::Request;
use execute_python_engine::{Config, Engine};
fn q(v: &mut Vec<f64>) -> String {
    v.sort_by(f64::total_cmp);
    format!("p10 {:.3} p50 {:.3} p99 {:.3}", v[v.len() / 10], v[v.len() / 2], v[v.len() * 99 / 100])
}
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let env = std::env::args().nth(1).unwrap();
    let n = std::env::args().nth(2).map_or(200, |n| n.parse().unwrap());
    let engine = Engine::new(Config { pool: 4, ..Config::default() })?;
    engine.warm(&env).await?;
    let (mut all, mut wall, mut cpu, mut fresh) = (vec![], vec![], vec![], vec![]);
    for _ in 0..n {
        let t = std::time::Instant::now();
        let o = engine
            .run(Request {
                code: "print(1+1)".into(),
                environment: Some(env.clone()),
                ..Request::default()
            })
            .await?;
        all.push(t.elapsed().as_secs_f64() * 1e3);
        wall.push(o.usage.wall_time_ms);
        cpu.push(o.usage.cpu_time_ms);
        tokio::time::sleep(std::time::Duration::from_millis(12)).await;
        let t = std::time::Instant::now();
        let mut r = Request {
            code: "print(1+1)".into(),
            environment: Some(env.clone()),
            ..Request::default()
        };
        r.limits.memory_bytes = Some(255 << 20);
        engine.run(r).await?;
        fresh.push(t.elapsed().as_secs_f64() * 1e3);
        tokio::time::sleep(std::time::Duration::from_millis(12)).await;
    }
    println!(
        "{env} all {} | wall {} | cpu {} | fresh {}",
        q(&mut all),
        q(&mut wall),
        q(&mut cpu),
        q(&mut fresh)
    );
    engine.shutdown().await;
    Ok(())
}
