//! What a model is told of a run: short, and true about what is missing.

use execute_python_engine::protocol::{CapturedText, Display, MimeBundle, Outcome, Violation};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Value, json};

/// The most characters of one stream, of one value and of a traceback.
const MOST_TEXT: usize = 20_000;
const MOST_VALUE: usize = 4_000;
/// The largest picture that goes into a result, in bytes of base64: clients cut larger ones.
const MOST_PICTURE: usize = 1 << 20;
const MOST_PICTURES: usize = 8;
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The result of a tool that ran code.
pub(crate) fn result(outcome: &Outcome, links: &[Resource]) -> CallToolResult {
    let mut content = vec![ContentBlock::text(text(outcome, links))];
    let pictures = outcome.displays.iter().chain(&outcome.value).filter_map(picture);
    content
        .extend(pictures.take(MOST_PICTURES).map(|(kind, data)| ContentBlock::image(data, kind)));
    content.extend(links.iter().cloned().map(ContentBlock::resource_link));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(structured(outcome, links));
    result
}

/// The schema of what [`structured`] gives.
pub(crate) fn schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {
            "run": text,
            "status": {
                "type": "string",
                "enum": ["ok", "exception", "exited", "timeout", "memory_limit", "violation", "rejected",
                         "crashed", "cancelled"],
            },
            "summary": text,
            "stdout": text,
            "stderr": text,
            "value": {"type": ["string", "null"]},
            "exception": {"type": ["string", "null"]},
            "violations": {"type": "array", "items": {"type": "object"}},
            "files": {"type": "array", "items": {"type": "object"}},
            "state": {"type": ["object", "null"]},
        },
        "required": ["run", "status", "summary", "stdout", "stderr"],
    })
}

fn structured(outcome: &Outcome, links: &[Resource]) -> Value {
    let violations = outcome.violations.iter().map(|violation| {
        json!({
            "attempt": violation.attempt,
            "line": violation.frames.last().and_then(|frame| frame.line),
            "action": violation.action,
            "instead": violation.hint,
        })
    });
    let files = outcome.artifacts.iter().map(|artifact| {
        let uri = links.iter().find(|link| link.name == artifact.path).map(|link| &link.uri);
        json!({"path": artifact.path, "bytes": artifact.bytes, "mime_type": artifact.mime_type, "uri": uri})
    });
    json!({
        "run": outcome.id,
        "status": outcome.status,
        "summary": outcome.summary,
        "stdout": captured(&outcome.stdout),
        "stderr": captured(&outcome.stderr),
        "value": outcome.value.as_ref().and_then(shown),
        "exception": outcome.exception.as_ref().map(|exception| cut(&exception.text, MOST_TEXT)),
        "violations": violations.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "state": outcome.state,
    })
}

/// All of it as a text, in the order in which a reader wants it.
fn text(outcome: &Outcome, links: &[Resource]) -> String {
    let mut parts = Vec::new();
    let mut part = |title: &str, text: String| {
        if !text.trim().is_empty() {
            parts.push(format!("{title}\n{}", text.trim_end()));
        }
    };
    part("stdout:", captured(&outcome.stdout));
    part("stderr:", captured(&outcome.stderr));
    for display in outcome.displays.iter().filter(|display| picture(display).is_none()) {
        part("display:", shown(display).unwrap_or_default());
    }
    part("value:", outcome.value.as_ref().and_then(shown).unwrap_or_default());
    if let Some(exception) = &outcome.exception {
        part("exception:", cut(&exception.text, MOST_TEXT));
    }
    for violation in &outcome.violations {
        part("forbidden:", told(violation));
    }
    if !links.is_empty() {
        let files: Vec<_> =
            links.iter().map(|link| format!("{} ({})", link.name, link.uri)).collect();
        part("files:", files.join("\n"));
    }
    if let Some(state) = &outcome.state {
        part("session:", format!("{} (run {})", state.message, outcome.id));
    }
    for note in &outcome.notes {
        part("note:", note.clone());
    }
    parts.push(format!("status: {} ({})", outcome.status.as_str(), outcome.summary));
    parts.join("\n\n")
}

fn told(violation: &Violation) -> String {
    let line = violation.frames.last().and_then(|frame| frame.line);
    let place = line.map_or_else(String::new, |line| format!(" at line {line}"));
    format!("{}{place}: {}", violation.attempt, violation.hint)
}

/// A stream with an account of what is missing from it.
fn captured(stream: &CapturedText) -> String {
    let text = cut(&stream.text, MOST_TEXT);
    match &stream.tail {
        None => text,
        Some(tail) => {
            let (missing, tail) = (stream.missing_bytes(), cut(tail, MOST_TEXT));
            format!("{text}\n… {missing} bytes are left out …\n{tail}")
        }
    }
}

/// The text of a bundle: Markdown or LaTeX where there is no plain text.
fn shown(bundle: &MimeBundle) -> Option<String> {
    let of = |kind: &str| bundle.data.get(kind).and_then(Value::as_str);
    let text = of("text/plain").or_else(|| of("text/markdown")).or_else(|| of("text/latex"))?;
    Some(cut(text, MOST_VALUE))
}

/// The picture of a bundle, if it has one that a client takes.
fn picture(bundle: &Display) -> Option<(&'static str, String)> {
    PICTURES.iter().find_map(|kind| {
        let data = bundle.data.get(*kind)?.as_str()?;
        (data.len() <= MOST_PICTURE).then(|| (*kind, data.to_owned()))
    })
}

/// The text, or its beginning and its end.
fn cut(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = text.chars().skip(length - most / 2).collect();
    format!("{head}\n… {} characters are left out …\n{tail}", length - 2 * (most / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_said() {
        let stream = CapturedText {
            text: "begin".into(),
            tail: Some("end".into()),
            total_bytes: 1008,
            kept_bytes: 8,
            replaced: 0,
        };
        assert_eq!(captured(&stream), "begin\n… 1000 bytes are left out …\nend");
        let long = cut(&"x".repeat(50_000), MOST_TEXT);
        assert!(long.contains("… 30000 characters are left out …"), "{}", long.len());
    }
}
