//! Sessions: runs that share one live interpreter.

mod branches;
mod files;
mod moments;
mod socket;
mod turns;

use axum::extract::{Path, State};
use axum::http::header::LOCATION;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use execute_python_engine::Session;
use execute_python_engine::protocol::{
    LimitsRequest, MimeBundle, Policy, SessionInfo, SessionOptions, ToolDefinition, Variable,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::{Api, Operation};
use crate::auth::{Access, Caller};
use crate::extract::{Json, Query};
use crate::keys::Scope;
use crate::problem::Problem;
use crate::runs::{self, FileEntry, Input, InputAnswer, ToolAnswer};
use crate::service::Service;

pub(crate) use turns::{Turn, Turns};

/// The shortest time that a session is open, in milliseconds.
const SHORTEST_MS: u64 = 1_000;

pub(crate) fn routes(api: Api) -> Api {
    let open = post("/v1/sessions", "Opens a session").takes::<SessionBody>();
    let all = get("/v1/sessions", "Lists the open sessions").gives::<Sessions>(200);
    let one = get("/v1/sessions/{id}", "Says what is known of a session").gives::<SessionInfo>(200);
    let close = delete("/v1/sessions/{id}", "Closes a session").gives_nothing(204);
    let run = runs::runs("/v1/sessions/{id}/runs", "Runs code in a session");
    let api = api
        .route(open.gives::<SessionInfo>(201), create)
        .route(all, list)
        .route(one, describe)
        .route(close, self::close)
        .route(run, self::run);
    files::routes(branches::routes(moments::routes(live_routes(api))))
}

/// What is done with a run that goes on, and with variables.
fn live_routes(api: Api) -> Api {
    let told = |path, summary| post(path, summary).gives_nothing(202);
    let input = told("/v1/sessions/{id}/input", "Answers the run that asks for a line");
    let result = told("/v1/sessions/{id}/tool_results", "Answers the run that calls a function");
    let all = get("/v1/sessions/{id}/variables", "Lists the variables").gives::<Variables>(200);
    let one = get("/v1/sessions/{id}/variables/{name}", "Shows a variable").query::<Slice>();
    let live = get("/v1/sessions/{id}/ws", "A live session over a WebSocket").gives_nothing(101);
    api.route(told("/v1/sessions/{id}/interrupt", "Interrupts the run that goes on"), interrupt)
        .route(input.takes::<InputAnswer>(), self::input)
        .route(result.takes::<ToolAnswer>(), tool_result)
        .route(all, variables)
        .route(one.gives::<MimeBundle>(200), variable)
        .route(live, socket::open)
}

fn operation(method: Method, path: &'static str, summary: &'static str) -> Operation {
    Operation::new(method, path, Access::Needs(Scope::Run), summary)
}

fn get(path: &'static str, summary: &'static str) -> Operation {
    operation(Method::GET, path, summary)
}

fn post(path: &'static str, summary: &'static str) -> Operation {
    operation(Method::POST, path, summary)
}

fn delete(path: &'static str, summary: &'static str) -> Operation {
    operation(Method::DELETE, path, summary)
}

/// What a session is opened with.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SessionBody {
    /// A name for people.
    name: Option<String>,
    /// The environment of all its runs; `base` when it is not given.
    environment: Option<String>,
    /// Limits of each of its runs that differ from the operator's defaults.
    #[serde(deserialize_with = "crate::extract::object")]
    limits: LimitsRequest,
    /// What the monitor does about each category of danger, in all its runs.
    policy: Option<Policy>,
    /// Files put into the work folder.
    files: Vec<FileEntry>,
    /// Functions of the caller that its runs may call.
    tools: Vec<ToolDefinition>,
    /// How many automatic checkpoints are kept: 8 when it is not given.
    checkpoints: Option<u32>,
    /// Milliseconds without a run after which it is closed: half an hour when it is not given.
    #[schemars(range(min = 1000))]
    idle_timeout_ms: Option<u64>,
    /// Milliseconds after which it is closed whatever it does: a day when it is not given.
    #[schemars(range(min = 1000))]
    lifetime_ms: Option<u64>,
}

impl SessionBody {
    /// Refuses a session that would be closed before it could be used.
    fn check(&self) -> Result<(), Problem> {
        let times = [("idle_timeout_ms", self.idle_timeout_ms), ("lifetime_ms", self.lifetime_ms)];
        for (field, time) in times {
            if time.is_some_and(|ms| ms < SHORTEST_MS) {
                let detail = format!("{field} is below the least possible, {SHORTEST_MS}");
                return Err(Problem::unprocessable("field_not_valid", detail).field(field));
            }
        }
        Ok(())
    }
}

/// All open sessions of a tenant.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sessions {
    /// The oldest first.
    sessions: Vec<SessionInfo>,
}

/// The variables of a session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Variables {
    /// In the order of their names.
    variables: Vec<Variable>,
}

/// Which part of a long value is shown.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Slice {
    /// From this item on.
    start: Option<i64>,
    /// To before this one.
    stop: Option<i64>,
}

/// The tenant's session of this id. Another tenant's looks as if it was not there.
pub(crate) fn find(service: &Service, caller: &Caller, id: &str) -> Result<Session, Problem> {
    let session = service.engine().session(id);
    let session = session.filter(|session| session.owner() == Some(&caller.tenant));
    session.ok_or_else(|| Problem::missing("session", id).hint("it was closed, or never opened"))
}

async fn create(
    State(service): State<Service>,
    caller: Caller,
    Json(body): Json<SessionBody>,
) -> Result<Response, Problem> {
    must_have_room(&service, &caller, 1)?;
    body.check()?;
    let mut files = Vec::with_capacity(body.files.len());
    for (at, entry) in body.files.into_iter().enumerate() {
        files.push(entry.read(&service, &caller.tenant, at).await?);
    }
    let options = SessionOptions {
        name: body.name,
        environment: body.environment,
        limits: body.limits,
        policy: body.policy,
        files,
        tools: body.tools,
        checkpoints: body.checkpoints,
        idle_timeout_ms: body.idle_timeout_ms,
        lifetime_ms: body.lifetime_ms,
    };
    let session = service.engine().open_session(options, Some(&caller.tenant)).await?;
    let info = session.info();
    let body = json!({ "environment": info.environment, "key": caller.key });
    service.recorder().event(&caller.tenant, "session_opened", &info.id, &body).await;
    let location = format!("/v1/sessions/{}", info.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], axum::Json(info)).into_response())
}

/// Fails when so many more sessions are more than the tenant's quota says.
fn must_have_room(service: &Service, caller: &Caller, more: usize) -> Result<(), Problem> {
    if service.admission().is_closed() {
        return Err(crate::admission::stopping());
    }
    let Some(most) = service.config().quota(&caller.tenant).sessions else { return Ok(()) };
    if service.engine().sessions(Some(&caller.tenant)).len() + more <= most {
        return Ok(());
    }
    let detail = format!("{most} sessions of this tenant are open already");
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "quota_sessions", detail)
        .hint("close one that is no longer needed")
        .retry_after(std::time::Duration::from_mins(1)))
}

async fn list(State(service): State<Service>, caller: Caller) -> axum::Json<Sessions> {
    axum::Json(Sessions { sessions: service.engine().sessions(Some(&caller.tenant)) })
}

async fn describe(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<axum::Json<SessionInfo>, Problem> {
    Ok(axum::Json(find(&service, &caller, &id)?.info()))
}

async fn close(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    find(&service, &caller, &id)?.close().await;
    service.recorder().event(&caller.tenant, "session_closed", &id, &Value::Null).await;
    Ok(StatusCode::NO_CONTENT)
}

async fn run(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    mut input: Input,
) -> Result<Response, Problem> {
    if input.body.session.as_ref().is_some_and(|named| *named != id) {
        let detail = "the body names another session than the path";
        return Err(Problem::unprocessable("field_not_valid", detail).field("session"));
    }
    input.body.session = Some(id);
    runs::carry_out(&service, caller, input).await
}

async fn interrupt(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    find(&service, &caller, &id)?.interrupt();
    Ok(StatusCode::ACCEPTED)
}

async fn input(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Json(answer): Json<InputAnswer>,
) -> Result<StatusCode, Problem> {
    runs::tell_session(&service, &caller, &id, answer.into())
}

async fn tool_result(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Json(answer): Json<ToolAnswer>,
) -> Result<StatusCode, Problem> {
    runs::tell_session(&service, &caller, &id, answer.try_into()?)
}

async fn variables(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<axum::Json<Variables>, Problem> {
    let variables = find(&service, &caller, &id)?.variables().await?;
    Ok(axum::Json(Variables { variables }))
}

async fn variable(
    State(service): State<Service>,
    caller: Caller,
    Path((id, name)): Path<(String, String)>,
    Query(Slice { start, stop }): Query<Slice>,
) -> Result<axum::Json<MimeBundle>, Problem> {
    Ok(axum::Json(find(&service, &caller, &id)?.value(&name, start, stop).await?))
}
