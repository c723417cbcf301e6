//! `execute-python doctor`: what this machine has of what the sandbox needs.

use std::process::ExitCode;

use execute_python_engine::Engine;
use execute_python_engine::doctor::{Probe, Verdict, probe};
use execute_python_engine::protocol::Waiver;
use serde_json::json;

use crate::failure::{self, Failure};
use crate::settings::{self, Settings};
use crate::{args, output};

/// Looks for each thing and prints what it found; fails if something needed is not there.
pub(crate) fn doctor(
    args: &args::Doctor,
    settings: Result<Settings, settings::Error>,
) -> Result<ExitCode, Failure> {
    let mut probes = probe();
    if let Ok(settings) = &settings {
        waive(&mut probes, &settings.waived);
    }
    probes.push(about_settings(&settings));
    probes.push(about_environments(settings.unwrap_or_default()));
    let well = probes.iter().all(|probe| probe.verdict != Verdict::Fail);
    output::result(&if args.json { as_json(&probes) } else { as_text(&probes) })?;
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What is given up by name does not have to be there.
fn waive(probes: &mut [Probe], waived: &[Waiver]) {
    for probe in probes {
        let given_up = match probe.name {
            "cgroup" => waived.contains(&Waiver::Cgroup),
            "landlock" => waived.contains(&Waiver::Landlock),
            _ => false,
        };
        if given_up && probe.verdict == Verdict::Fail {
            probe.verdict = Verdict::Warn;
            probe.detail.push_str(" (waived in the settings)");
        }
    }
}

fn about_settings(settings: &Result<Settings, settings::Error>) -> Probe {
    let name = "settings";
    match settings {
        Ok(settings) if settings.from.is_empty() => there(name, "no file".into()),
        Ok(settings) => {
            let from = settings.from.iter().map(|path| path.display().to_string());
            there(name, from.collect::<Vec<_>>().join(", "))
        }
        Err(error) => {
            Probe { name, verdict: Verdict::Fail, detail: failure::told(error), hint: error.hint() }
        }
    }
}

/// Asks the engine for its environments, which takes a cache and an interpreter.
fn about_environments(settings: Settings) -> Probe {
    let name = "environments";
    let all = Engine::new(settings.config(None)).and_then(|engine| engine.environments());
    match all {
        Ok(all) => {
            let all = all.iter().map(|info| match &info.python {
                Some(python) => format!("{} built for Python {python}", info.name),
                None => format!("{} not built yet", info.name),
            });
            there(name, all.collect::<Vec<_>>().join(", "))
        }
        Err(error) => {
            let failure = Failure::from(error);
            let (detail, hint) = (failure.message(), failure.hint());
            Probe { name, verdict: Verdict::Fail, detail, hint }
        }
    }
}

fn there(name: &'static str, detail: String) -> Probe {
    Probe { name, verdict: Verdict::Ok, detail, hint: None }
}

fn as_text(probes: &[Probe]) -> String {
    let mut rows = Vec::new();
    for Probe { name, verdict, detail, hint } in probes {
        let word = word(*verdict);
        rows.push(match verdict {
            Verdict::Ok if detail.is_empty() => format!("{word:<4}  {name}"),
            Verdict::Ok => format!("{word:<4}  {name} ({detail})"),
            Verdict::Warn | Verdict::Fail => format!("{word:<4}  {name}: {detail}"),
        });
        rows.extend(hint.iter().map(|hint| format!("hint: {hint}")));
    }
    rows.join("\n")
}

fn as_json(probes: &[Probe]) -> String {
    let all: Vec<_> = probes
        .iter()
        .map(|probe| {
            json!({
                "name": probe.name,
                "verdict": word(probe.verdict),
                "detail": probe.detail,
                "hint": probe.hint,
            })
        })
        .collect();
    json!({ "probes": all }).to_string()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "ok",
        Verdict::Warn => "warn",
        Verdict::Fail => "fail",
    }
}
