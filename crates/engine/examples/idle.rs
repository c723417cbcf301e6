//! try
use execute_python_engine::{Config, Engine};
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let env = std::env::args().nth(1).unwrap();
    let engine = Engine::new(Config { pool: 3, ..Config::default() })?;
    engine.warm(&env).await?;
    println!("ready");
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    engine.shutdown().await;
    Ok(())
}
