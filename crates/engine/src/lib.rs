//! Runs Python in a sandbox on this machine and gives everything back.
//!
//! ```no_run
//! use execute_python_engine::{Config, Engine};
//! use execute_python_engine::protocol::Request;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Engine::new(Config::default())?;
//! let request = Request { code: "print(1 + 1)".into(), ..Request::default() };
//! let outcome = engine.run(request).await?;
//! assert_eq!(outcome.stdout.text, "2\n");
//! engine.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! [`Engine::start`] gives a [`Run`] instead, whose events come as they happen. What the guest did,
//! whatever it did, is an [`Outcome`](protocol::Outcome); an [`Error`] is only ever our failure or
//! a request that cannot be carried out.

#![forbid(unsafe_code)]

mod calls;
mod capture;
mod channel;
mod config;
mod delivery;
mod digest;
pub mod doctor;
mod embedded;
mod ending;
mod engine;
pub mod environment;
mod error;
#[cfg(fuzzing)]
pub mod fuzzing;
mod groups;
mod launch;
mod message;
mod monitor;
mod offer;
mod pool;
mod request;
mod run;
mod session;
mod sessions;
mod summary;
mod trace;
mod wait;
mod work_folder;
mod worker;
mod zygote;

pub use execute_python_protocol as protocol;

pub use config::{Config, ProgressSink};
pub use delivery::Delivery;
pub use engine::{Engine, Run};
pub use error::{EnvironmentError, Error, Kind};
pub use request::check_code;
pub use session::Session;
