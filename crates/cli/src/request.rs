//! The request that the command line and the settings mean together.

use execute_python_engine::protocol::{LimitsRequest, Request};

use crate::failure::Failure;
use crate::settings::Settings;
use crate::{args, inputs, source};

/// Reads everything that the run is given. What can be refused is refused here, before an
/// environment is built for it.
pub(crate) fn build(args: &args::Run, settings: &Settings) -> Result<Request, Failure> {
    let limits = LimitsRequest::from(args.limits);
    let disk = limits.resolve(&settings.limits, &settings.ceiling)?.disk_bytes;
    let source = source::read(args)?;
    let stdin = args.stdin.as_deref();
    let stdin = stdin.map(|text| inputs::stdin(text, disk, args.source.is_stdin()));
    Ok(Request {
        code: source.code,
        name: source.name,
        stdin: stdin.transpose()?,
        files: inputs::files(&args.inputs, disk)?,
        environment: args.env.clone(),
        limits,
        policy: args.policy.into(),
        ..Request::default()
    })
}
