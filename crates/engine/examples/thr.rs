//! try
use execute_python_engine::{Config, Engine};
use execute_python_engine::protocol::Request;
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let env = std::env::args().nth(1).unwrap();
    let engine = Engine::new(Config { pool: 8, ..Config::default() })?;
    engine.warm(&env).await?;
    let until = std::time::Instant::now() + std::time::Duration::from_secs(5);
    let t: Vec<_> = (0..8).map(|_| { let engine = engine.clone(); let env = env.clone(); tokio::spawn(async move { let mut n = 0; while std::time::Instant::now() < until { let o = engine.run(Request { code: "print(1+1)".into(), environment: Some(env.clone()), ..Request::default() }).await.unwrap(); assert_eq!(o.stdout.text, "2\n"); n += 1; } n }) }).collect();
    let mut n = 0; for x in t { n += x.await?; }
    println!("{env} {}/s", n / 5);
    engine.shutdown().await;
    Ok(())
}
