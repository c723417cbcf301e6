//! The launcher: raises the outer sandbox around an interpreter and waits for its end.
//!
//! Its one argument is the plan as JSON, its standard input the control socket. With `branch` before an
//! order as JSON it gives branches of a session their work folders instead. It exits with the
//! interpreter's code, with 128 plus the signal that ended it, or with 125 when a step failed, which
//! it then names on standard error.

#![forbid(unsafe_code)]

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use execute_python_sandbox::plan::OuterPlan;
use execute_python_sandbox::{branch, outer};

fn main() -> ExitCode {
    match launch() {
        Ok(status) => ExitCode::from(exit_code(status)),
        Err(error) => {
            let mut line = error.to_string();
            let mut source = error.source();
            while let Some(cause) = source {
                line.push_str(": ");
                line.push_str(&cause.to_string());
                source = cause.source();
            }
            drop(writeln!(std::io::stderr(), "{line}"));
            ExitCode::from(125)
        }
    }
}

fn launch() -> Result<i32, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let argument = arguments.next().unwrap_or_default();
    if argument == "branch" {
        branch::furnish(&serde_json::from_str(&arguments.next().unwrap_or_default())?)?;
        return Ok(0);
    }
    let plan: OuterPlan = serde_json::from_str(&argument)?;
    Ok(outer::run(&plan)?)
}

/// The status word of `wait(2)` as a shell would give it.
fn exit_code(status: i32) -> u8 {
    let (code, signal) = ((status >> 8) & 0xff, status & 0x7f);
    u8::try_from(if signal == 0 { code } else { 128 + signal }).unwrap_or(u8::MAX)
}
