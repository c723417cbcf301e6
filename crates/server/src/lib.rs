//! The engine as a service over HTTP.
//!
//! [`Service`] holds what the requests share, [`router`] makes the routes, and [`serve`] listens.
//! Every route is declared together with its description ([`api`]), so the OpenAPI document cannot
//! say anything else than what is served.
//!
//! The way of a request: `edge` gives it an id and turns every failure into problem details, `guard`
//! refuses what a web page of somebody else sent, `auth` tells whose it is, `admission` lets it in
//! when its turn has come, and `runs` carries it out.

#![forbid(unsafe_code)]

mod admission;
mod api;
mod artifacts;
mod audit;
mod auth;
mod config;
mod db;
mod download;
mod edge;
mod environments;
mod error;
mod extract;
mod files;
mod guard;
mod health;
mod keep;
mod keys;
mod listen;
mod mcp;
mod metrics;
mod openapi;
mod problem;
mod records;
mod reference;
mod router;
mod runs;
mod service;
mod sessions;
mod store;
mod telemetry;
mod tls;
mod tools;

pub use audit::{Verification, verify};
pub use config::{Config, LogForm, Quota, Telemetry, Tls};
pub use db::{Database, DbError};
pub use error::Error;
pub use keys::{Key, Keys, NewKey, Scope, is_tenant};
pub use listen::{Bound, bind, serve};
pub use problem::Problem;
pub use records::{Filter, Kept, Page, Record, Records};
pub use router::router;
pub use service::Service;
pub use telemetry::{Telling, tell};
