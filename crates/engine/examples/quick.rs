//! try
use execute_python_engine::{Config, Engine};
use execute_python_engine::protocol::Request;
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let code = std::env::args().nth(1).unwrap();
    let t=std::time::Instant::now();
    let engine = Engine::new(Config { pool: 1, ..Config::default() })?;
    let request = Request { code, ..Request::default() };
    let outcome = engine.run(request).await;
    eprintln!("{:?}", t.elapsed());
    match outcome { Ok(o) => println!("{}", serde_json::to_string_pretty(&o)?), Err(e) => { println!("{e}"); let mut s = std::error::Error::source(&e); while let Some(x)=s { println!(": {x}"); s=x.source(); } } }
    let t=std::time::Instant::now();
    engine.shutdown().await;
    eprintln!("down {:?}", t.elapsed());
    Ok(())
}
