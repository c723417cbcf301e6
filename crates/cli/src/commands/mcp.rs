//! `execute-python mcp`: the engine as an MCP server, and its entry in the configuration of a client.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use execute_python_engine::Engine;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::output::{self, Line};
use crate::settings::Settings;
use crate::{args, progress};

/// The name of our entry.
const NAME: &str = "execute-python";

/// Serves a client on standard input and output, or changes the configuration of one.
pub(crate) async fn mcp(args: &args::Mcp, settings: Settings) -> Result<ExitCode, Failure> {
    if let Some(client) = args.install {
        return configure(client, Some(entry()?));
    }
    if let Some(client) = args.uninstall {
        return configure(client, None);
    }
    let mut config = settings.config(progress::sink(true));
    config.pool = 1;
    let engine = Engine::new(config)?;
    let served = execute_python_mcp::serve_stdio(engine.clone()).await;
    engine.shutdown().await;
    served.map_err(|error| Failure::System {
        doing: "serve the MCP client",
        source: io::Error::other(error),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What a client is told: which program to start, and how.
fn entry() -> Result<Value, Failure> {
    let program = std::env::current_exe()
        .map_err(|source| Failure::System { doing: "find this program's own path", source })?;
    Ok(json!({"command": program, "args": ["mcp"]}))
}

/// Writes our entry into the configuration of a client, or removes it, and shows what was done.
fn configure(client: args::McpClient, entry: Option<Value>) -> Result<ExitCode, Failure> {
    let (path, list) = place(client)?;
    let mut whole = read(&path)?;
    let before = whole.clone();
    let servers = whole.entry(list).or_insert_with(|| Value::Object(Map::new()));
    let Some(servers) = servers.as_object_mut() else {
        return Err(unusable(&path, "its list of servers is no object"));
    };
    match &entry {
        Some(entry) => drop(servers.insert(NAME.to_owned(), entry.clone())),
        None => drop(servers.remove(NAME)),
    }
    let shown = json!({list: {NAME: entry.unwrap_or(Value::Null)}});
    output::result(&format!("{}\n{shown:#}", path.display()))?;
    if whole == before {
        output::lines(&[Line::new("note", "nothing had to be changed")]);
        return Ok(ExitCode::SUCCESS);
    }
    write(&path, &Value::Object(whole))?;
    output::lines(&[Line::new("ok", "written; start the client anew")]);
    Ok(ExitCode::SUCCESS)
}

/// The configuration of a client, and the name of its list of servers.
fn place(client: args::McpClient) -> Result<(PathBuf, &'static str), Failure> {
    let home = std::env::home_dir().ok_or_else(|| Failure::System {
        doing: "find the home folder",
        source: io::Error::from(io::ErrorKind::NotFound),
    })?;
    let (path, list) = match client {
        args::McpClient::Claude => (".config/Claude/claude_desktop_config.json", "mcpServers"),
        args::McpClient::ClaudeCode => (".claude.json", "mcpServers"),
        args::McpClient::Cursor => (".cursor/mcp.json", "mcpServers"),
        args::McpClient::Vscode => (".config/Code/User/mcp.json", "servers"),
        args::McpClient::Windsurf => (".codeium/windsurf/mcp_config.json", "mcpServers"),
    };
    Ok((home.join(path), list))
}

fn read(path: &Path) -> Result<Map<String, Value>, Failure> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(unusable(path, &error.to_string())),
    };
    serde_json::from_str(&text).map_err(|error| unusable(path, &format!("it is no JSON: {error}")))
}

/// Writes the file whole or not at all.
fn write(path: &Path, whole: &Value) -> Result<(), Failure> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let staged = path.with_extension(format!("new-{}", std::process::id()));
        fs::write(&staged, format!("{whole:#}\n"))?;
        fs::rename(&staged, path)
    };
    write().map_err(|error| unusable(path, &error.to_string()))
}

fn unusable(path: &Path, reason: &str) -> Failure {
    Failure::System {
        doing: "use the configuration of the client",
        source: io::Error::other(format!("{}: {reason}", path.display())),
    }
}
