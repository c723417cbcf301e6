//! One client: its sessions, its files, its calls.

use std::collections::HashMap;
use std::sync::Arc;

use execute_python_engine::protocol::{Event, Outcome, Request, SessionOptions};
use execute_python_engine::{Delivery, Engine, Error, Run, Session};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::arguments::{Execute, ListFiles, ReadFile, Rewind, WriteFile};
use crate::shelf::Shelf;
use crate::{account, tools};

/// The environment that sessions have: what a model expects is installed in it.
const ENVIRONMENT: &str = "data";

/// Serves one client. Cheap to clone; all clones are the same client.
#[derive(Debug, Clone)]
pub struct Handler {
    inner: Arc<Inner>,
}

/// Whose are the sessions that a request over HTTP opens.
#[derive(Debug, Clone)]
pub struct Owner(pub String);

/// The owner that the server named, if it serves over HTTP.
fn owner(context: &RequestContext<RoleServer>) -> Option<&str> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    parts.extensions.get::<Owner>().map(|owner| owner.0.as_str())
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    /// The client's sessions by the names that it gave them.
    sessions: Mutex<HashMap<String, Session>>,
    shelf: Shelf,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        for (_, session) in self.sessions.get_mut().drain() {
            runtime.spawn(session.close());
        }
    }
}

/// What a person is asked for when a program asks for input.
#[derive(Debug, Deserialize, JsonSchema)]
struct Line {
    /// The line that the program reads.
    line: String,
}
rmcp::elicit_safe!(Line);

/// Why a call failed, in words for the model.
struct Refusal(String);

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal(match error.hint() {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        })
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Refusal(reason)
    }
}

type Answer = Result<CallToolResult, Refusal>;

impl Handler {
    /// A client of this engine.
    pub fn new(engine: Engine) -> Handler {
        let (sessions, shelf) = (Mutex::default(), Shelf::default());
        Handler { inner: Arc::new(Inner { engine, sessions, shelf }) }
    }

    async fn execute(&self, arguments: Execute, context: &RequestContext<RoleServer>) -> Answer {
        let limits = arguments.limits()?;
        let mut files = Vec::new();
        for file in arguments.files {
            files.push(file.input()?);
        }
        let interactive = asks_people(context);
        let request = Request {
            code: arguments.code,
            stdin: arguments.stdin,
            files,
            limits,
            interactive,
            ..Request::default()
        };
        let run = match &arguments.session {
            Some(name) => {
                let session = self.session(name, &request, owner(context)).await?;
                // Memory is the session's, which has it from its beginning.
                let mut limits = request.limits;
                limits.memory_bytes = None;
                session.start(Request { limits, ..request }, Delivery::Inline).await?
            }
            None => self.inner.engine.start(request, Delivery::Inline).await?,
        };
        let mut outcome = follow(run, context).await?;
        let links = self.inner.shelf.take(&mut outcome);
        Ok(account::result(&outcome, &links))
    }

    /// The session of this name, opened if there is none.
    async fn session(
        &self,
        name: &str,
        request: &Request,
        owner: Option<&str>,
    ) -> Result<Session, Refusal> {
        let mut sessions = self.inner.sessions.lock().await;
        if let Some(session) = sessions.get(name)
            && self.inner.engine.session(session.id()).is_some()
        {
            return Ok(session.clone());
        }
        let options = SessionOptions {
            name: Some(name.to_owned()),
            environment: Some(ENVIRONMENT.to_owned()),
            limits: request.limits,
            ..SessionOptions::default()
        };
        let session = self.inner.engine.open_session(options, owner).await?;
        sessions.insert(name.to_owned(), session.clone());
        Ok(session)
    }

    /// The session of this name.
    async fn known(&self, name: &str) -> Result<Session, Refusal> {
        let sessions = self.inner.sessions.lock().await;
        let known = || {
            let names: Vec<&str> = sessions.keys().map(String::as_str).collect();
            format!("there is no session `{name}`; there are: {}", names.join(", "))
        };
        sessions.get(name).cloned().ok_or_else(|| Refusal(known()))
    }

    async fn rewind(&self, arguments: Rewind) -> Answer {
        let session = self.known(&arguments.session).await?;
        let to = match arguments.to {
            Some(to) => to,
            None => before_last(&session).await?,
        };
        let state = session.rewind(&to).await?;
        Ok(said(state.message))
    }

    async fn list_files(&self, arguments: ListFiles) -> Answer {
        let session = self.known(&arguments.session).await?;
        let files = session.files()?;
        let lines: Vec<String> =
            files.iter().map(|file| format!("{} ({} bytes)", file.path, file.bytes)).collect();
        Ok(said(if lines.is_empty() { "no files".into() } else { lines.join("\n") }))
    }

    async fn read_file(&self, arguments: ReadFile) -> Answer {
        let content = self.known(&arguments.session).await?.get_file(&arguments.path)?;
        match String::from_utf8(content) {
            Ok(text) => Ok(said(text)),
            Err(error) => Err(Refusal(format!(
                "`{}` is no text ({} bytes): write it to a file in a run, which gives a link to it",
                arguments.path,
                error.as_bytes().len()
            ))),
        }
    }

    async fn write_file(&self, arguments: WriteFile) -> Answer {
        let session = self.known(&arguments.session).await?;
        let file = arguments.file.input()?;
        session.put_file(&file)?;
        Ok(said(format!("{} ({} bytes) is in the work folder", file.path, file.content.len())))
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        let given = Value::Object(request.arguments.unwrap_or_default());
        Ok(match &*request.name {
            "execute_python" => self.execute(parse(given)?, context).await,
            "rewind_session" => self.rewind(parse(given)?).await,
            "list_session_files" => self.list_files(parse(given)?).await,
            "read_session_file" => self.read_file(parse(given)?).await,
            "write_session_file" => self.write_file(parse(given)?).await,
            other => {
                return Err(ErrorData::invalid_params(format!("there is no tool `{other}`"), None));
            }
        })
    }
}

fn parse<T: DeserializeOwned>(given: Value) -> Result<T, ErrorData> {
    serde_json::from_value(given)
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

fn said(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// The checkpoint before the last run of a session.
async fn before_last(session: &Session) -> Result<String, Refusal> {
    let checkpoints = session.checkpoints().await?;
    let current = checkpoints.iter().find(|checkpoint| checkpoint.current);
    let before = current.and_then(|checkpoint| checkpoint.parent.clone());
    before.ok_or_else(|| Refusal("the session has had no run that could be undone".into()))
}

/// Follows a run to its end: tells of its progress, has people answer its questions, and cancels it when the
/// client takes the call back.
async fn follow(mut run: Run, context: &RequestContext<RoleServer>) -> Result<Outcome, Refusal> {
    let token = context.meta.get_progress_token();
    loop {
        let event = tokio::select! {
            event = run.next() => event,
            () = context.ct.cancelled() => {
                run.cancel();
                run.next().await
            }
        };
        match event {
            Some(Event::Finished { outcome }) => return Ok(*outcome),
            Some(Event::Usage { usage }) => {
                if let Some(token) = &token {
                    let message = format!("{:.1} s", usage.wall_time_ms / 1e3);
                    let told = ProgressNotificationParam::new(token.clone(), usage.wall_time_ms)
                        .with_message(message);
                    // Who does not listen need not.
                    drop(context.peer.notify_progress(told).await);
                }
            }
            Some(Event::InputRequested { id, prompt, .. }) => {
                let asked =
                    if prompt.is_empty() { "The program asks for a line.".into() } else { prompt };
                let line = context.peer.elicit::<Line>(asked).await;
                run.answer_input(&id, line.ok().flatten().map(|line| line.line));
            }
            Some(_) => {}
            None => return Err(Refusal("the run ended without an outcome".into())),
        }
    }
}

/// Whether the client can ask its person something.
fn asks_people(context: &RequestContext<RoleServer>) -> bool {
    context.peer.peer_info().is_some_and(|info| info.capabilities.elicitation.is_some())
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let name = Implementation::new("execute-python", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(match self.call(request, &context).await? {
            Ok(result) => result.into(),
            Err(Refusal(reason)) => CallToolResult::error(vec![ContentBlock::text(reason)]).into(),
        })
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.inner.shelf.list()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = self.inner.shelf.read(&request.uri);
        let missing = || {
            let text = format!("there is no file `{}`, or no longer", request.uri);
            ErrorData::resource_not_found(text, None)
        };
        Ok(ReadResourceResult::new(vec![found.ok_or_else(missing)?]).into())
    }
}
