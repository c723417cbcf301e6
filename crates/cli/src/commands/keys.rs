//! `execute-python keys`: API keys of the service.

use std::process::ExitCode;

use execute_python_server::{Database, Key, Keys, NewKey};
use serde_json::json;

use crate::args::{self, KeysCommand};
use crate::failure::Failure;
use crate::output::{self, Line};
use crate::settings::Settings;

/// Makes, lists and revokes keys.
pub(crate) async fn keys(args: &args::Keys, settings: Settings) -> Result<ExitCode, Failure> {
    let database = Database::open(&args.store.config(settings)).await?;
    let keys = Keys::new(database.clone());
    let done = match &args.command {
        KeysCommand::Create(create) => make(&keys, create).await,
        KeysCommand::List { json } => list(&keys, *json).await,
        KeysCommand::Revoke { key } => revoke(&keys, key).await,
    };
    database.close().await;
    done
}

async fn make(keys: &Keys, create: &args::CreateKey) -> Result<ExitCode, Failure> {
    let new = NewKey {
        name: create.name.clone(),
        tenant: create.tenant.clone(),
        scopes: create.scopes(),
        lifetime: create.lifetime.map(std::time::Duration::from_millis),
    };
    let (key, secret) = keys.create(new).await?;
    if create.json {
        let mut whole = json!(key);
        whole["key"] = json!(secret);
        output::result(&whole.to_string())?;
    } else {
        output::lines(&[Line::new("key", "shown this once; only its hash is kept")]);
        output::result(&secret)?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(keys: &Keys, json: bool) -> Result<ExitCode, Failure> {
    let all = keys.list().await?;
    if json {
        output::result(&json!({ "keys": all }).to_string())?;
    } else {
        output::result(&all.iter().map(line).collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(key: &Key) -> String {
    let state = match (&key.revoked_at, &key.expires_at) {
        (Some(at), _) => format!("revoked {at}"),
        (None, Some(until)) => format!("until {until}"),
        (None, None) => "good".into(),
    };
    let scopes: Vec<_> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    format!("{}  {}  tenant {}  {}  {state}\n", key.id, key.name, key.tenant, scopes.join(","))
}

async fn revoke(keys: &Keys, named: &str) -> Result<ExitCode, Failure> {
    let revoked = keys.revoke(named).await?;
    if revoked.is_empty() {
        return Err(Failure::UnknownKey { named: named.to_owned() });
    }
    let told = revoked.iter().map(|key| Line::new("revoked", format!("{} {}", key.id, key.name)));
    output::lines(&told.collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}
