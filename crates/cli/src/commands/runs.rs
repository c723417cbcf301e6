//! `execute-python runs`: the records of the service.

use std::process::ExitCode;

use execute_python_server::{Database, Filter, Record, Records, verify};
use serde_json::json;

use crate::args::{self, RunsCommand};
use crate::failure::Failure;
use crate::output::{self, Line};
use crate::settings::Settings;

/// Lists, shows, exports and verifies records.
pub(crate) async fn runs(args: &args::Runs, settings: Settings) -> Result<ExitCode, Failure> {
    let database = Database::open(&args.store.config(settings)).await?;
    let records = Records::new(database.clone());
    let done = match &args.command {
        RunsCommand::List(which) => list(&records, which).await,
        RunsCommand::Show { id } => show(&records, id).await,
        RunsCommand::Export(which) => export(&records, which).await,
        RunsCommand::Verify { head } => prove(&database, head.as_deref()).await,
    };
    database.close().await;
    done
}

async fn list(records: &Records, which: &args::WhichRuns) -> Result<ExitCode, Failure> {
    let page = records.list(which.tenant.as_deref(), &which.filter()).await?;
    if which.json {
        output::result(&json!(page).to_string())?;
    } else {
        output::result(&page.runs.iter().map(line).collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(record: &Record) -> String {
    format!(
        "{}  {}  {}  {}  tenant {}  {:.1} ms\n",
        record.created_at,
        record.id,
        record.status.as_str(),
        record.environment,
        record.tenant,
        record.usage.wall_time_ms
    )
}

async fn show(records: &Records, id: &str) -> Result<ExitCode, Failure> {
    let found = records.get(None, id).await?;
    let kept = found.ok_or_else(|| Failure::UnknownRun { id: id.to_owned() })?;
    // Plain data that is made of texts and numbers always serialises.
    output::result(&serde_json::to_string_pretty(&kept).unwrap_or_default())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints all that are found, one JSON object a line.
async fn export(records: &Records, which: &args::WhichRuns) -> Result<ExitCode, Failure> {
    let mut filter = Filter { limit: Some(1_000), ..which.filter() };
    loop {
        let page = records.list(which.tenant.as_deref(), &filter).await?;
        for record in &page.runs {
            output::result(&json!(record).to_string())?;
        }
        match page.next {
            Some(next) => filter.before = Some(next),
            None => return Ok(ExitCode::SUCCESS),
        }
    }
}

async fn prove(database: &Database, head: Option<&str>) -> Result<ExitCode, Failure> {
    let mut found = verify(database, head).await?;
    if found.faults.is_empty() {
        let told = format!("{} entries, the last is {}", found.entries, found.head);
        output::lines(&[Line::new("ok", told)]);
        return Ok(ExitCode::SUCCESS);
    }
    let faults = found.faults.drain(..).map(|fault| Line::new("fault", fault));
    output::lines(&faults.collect::<Vec<_>>());
    Ok(ExitCode::FAILURE)
}
