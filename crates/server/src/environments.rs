//! The environments that runs can be in.

use axum::extract::{Path, State};
use axum::http::Method;
use execute_python_engine::environment::EnvironmentInfo;
use execute_python_engine::{self as engine};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::api::{Api, Operation};
use crate::auth::{Access, Caller};
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;

pub(crate) fn routes(api: Api) -> Api {
    let get = |path, summary| Operation::new(Method::GET, path, Access::Needs(Scope::Run), summary);
    let build = Operation::new(
        Method::POST,
        "/v1/environments/{name}/build",
        Access::Needs(Scope::Environments),
        "Builds an environment, if it is not there yet, which can take minutes",
    );
    let one = get("/v1/environments/{name}", "Shows an environment and its packages");
    api.route(get("/v1/environments", "Lists the environments").gives::<Environments>(200), list)
        .route(one.gives::<Environment>(200), describe)
        .route(build.gives::<Environment>(200), self::build)
}

/// All environments.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Environments {
    environments: Vec<Environment>,
}

/// An environment, built or not.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Environment {
    /// Its name.
    name: String,
    /// Whether it is built.
    built: bool,
    /// The version of its Python, if it is built.
    python: Option<String>,
    /// Its size in bytes, if it is built.
    bytes: Option<u64>,
    /// Its packages, if it is built.
    packages: Vec<Package>,
    /// The names that its packages can be imported by; code that imports one of them runs in it.
    provides: Vec<String>,
    /// What is imported before the first run.
    preload: Vec<String>,
}

/// A package of an environment.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Package {
    name: String,
    version: String,
}

impl From<EnvironmentInfo> for Environment {
    /// Where it lies on the host is nobody's affair.
    fn from(info: EnvironmentInfo) -> Self {
        let package = |(name, version)| Package { name, version };
        Self {
            name: info.name,
            built: info.built,
            python: info.python,
            bytes: info.bytes,
            packages: info.packages.into_iter().map(package).collect(),
            provides: info.provides,
            preload: info.preload,
        }
    }
}

fn all(service: &Service) -> Result<Vec<Environment>, Problem> {
    Ok(service.engine().environments()?.into_iter().map(Environment::from).collect())
}

async fn list(State(service): State<Service>) -> Result<axum::Json<Environments>, Problem> {
    Ok(axum::Json(Environments { environments: all(&service)? }))
}

async fn describe(
    State(service): State<Service>,
    Path(name): Path<String>,
) -> Result<axum::Json<Environment>, Problem> {
    let mut all = all(&service)?;
    let known = all.iter().map(|environment| environment.name.clone()).collect();
    let at = all.iter().position(|environment| environment.name == name);
    let at = at.ok_or(engine::Error::UnknownEnvironment { name, known })?;
    Ok(axum::Json(all.swap_remove(at)))
}

async fn build(
    State(service): State<Service>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<axum::Json<Environment>, Problem> {
    let info = service.engine().build(&name).await?;
    let body = json!({ "key": caller.key, "id": info.id });
    service.recorder().event(&caller.tenant, "environment_built", &name, &body).await;
    Ok(axum::Json(info.into()))
}
