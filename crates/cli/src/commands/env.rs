//! `execute-python env`: lists, shows, builds and removes environments.

use std::process::ExitCode;

use execute_python_engine::Engine;
use execute_python_engine::environment::EnvironmentInfo;
use serde_json::{Value, json};

use crate::args::Env;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::output::{self, Line};
use crate::progress;
use crate::settings::Settings;
use crate::units::about_size;

/// Does what the subcommand says.
pub(crate) async fn env(args: &Env, settings: Settings) -> Result<ExitCode, Failure> {
    match args {
        Env::List { json } => list(&engine(settings, *json)?, *json)?,
        Env::Show { name, json } => show(&engine(settings, *json)?, name, *json)?,
        Env::Build { name, json } => build(engine(settings, *json)?, name, *json).await?,
        Env::Remove { name, json } => remove(&engine(settings, *json)?, name, *json)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn engine(settings: Settings, json: bool) -> Result<Engine, Failure> {
    Ok(Engine::new(settings.config(progress::sink(json)))?)
}

fn list(engine: &Engine, json: bool) -> Result<(), Failure> {
    let all = engine.environments()?;
    if json {
        let all: Vec<_> = all.iter().map(as_json).collect();
        return output::result(&json!({ "environments": all }).to_string());
    }
    let widest = all.iter().map(|info| info.name.len()).max().unwrap_or(0);
    let rows: Vec<_> =
        all.iter().map(|info| format!("{:<widest$}  {}", info.name, state(info))).collect();
    output::result(&rows.join("\n"))
}

fn show(engine: &Engine, name: &str, json: bool) -> Result<(), Failure> {
    let info = find(engine, name)?;
    if json {
        return output::result(&as_json(&info).to_string());
    }
    let mut rows = vec![format!("{}: {}", info.name, state(&info))];
    rows.extend(info.root.map(|root| format!("root: {}", root.display())));
    rows.extend(joined("provides", &info.provides));
    rows.extend(joined("preload", &info.preload));
    rows.extend(info.packages.iter().map(|(name, version)| format!("package: {name} {version}")));
    output::result(&rows.join("\n"))
}

async fn build(engine: Engine, name: &str, json: bool) -> Result<(), Failure> {
    find(&engine, name)?;
    let mut interrupts = Interrupts::listen()?;
    let info = tokio::select! {
        info = engine.build(name) => info?,
        () = interrupts.next() => return Err(Failure::Interrupted),
    };
    engine.shutdown().await;
    if json {
        return output::result(&as_json(&info).to_string());
    }
    output::lines(&[Line::new("ok", format!("`{name}` is {}", state(&info)))]);
    Ok(())
}

fn remove(engine: &Engine, name: &str, json: bool) -> Result<(), Failure> {
    find(engine, name)?;
    let bytes = engine.remove(name)?;
    if json {
        return output::result(&json!({ "name": name, "freed_bytes": bytes }).to_string());
    }
    let text = format!("removed `{name}`, {} are free again", about_size(bytes));
    output::lines(&[Line::new("ok", text)]);
    Ok(())
}

fn joined(label: &str, names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("{label}: {}", names.join(", ")))
}

fn find(engine: &Engine, name: &str) -> Result<EnvironmentInfo, Failure> {
    let all = engine.environments()?;
    let known = all.iter().map(|info| info.name.clone()).collect();
    all.into_iter()
        .find(|info| info.name == name)
        .ok_or_else(|| Failure::UnknownEnvironment { name: name.to_owned(), known })
}

/// Whether it is there, and what it is.
fn state(info: &EnvironmentInfo) -> String {
    if !info.built {
        return "not built yet".into();
    }
    let python = info.python.as_ref().map(|version| format!("Python {version}"));
    let packages = match info.packages.len() {
        0 => "no packages".into(),
        1 => "1 package".into(),
        many => format!("{many} packages"),
    };
    let size = info.bytes.map(about_size);
    let facts: Vec<_> = python.into_iter().chain([packages]).chain(size).collect();
    format!("built ({})", facts.join(", "))
}

fn as_json(info: &EnvironmentInfo) -> Value {
    let packages: Vec<_> = info
        .packages
        .iter()
        .map(|(name, version)| json!({ "name": name, "version": version }))
        .collect();
    json!({
        "name": info.name,
        "built": info.built,
        "id": info.id,
        "python": info.python,
        "root": info.root,
        "bytes": info.bytes,
        "provides": info.provides,
        "preload": info.preload,
        "packages": packages,
    })
}
