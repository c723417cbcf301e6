//! Notebooks (nbformat 4): their code, and outputs written back into them.
//!
//! What we do not know stays as it was. The form is that of Jupyter itself (one space of indent, keys in
//! order, texts as lists of lines), so that a notebook that is run again differs only where it should.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use execute_python_engine::protocol::{Event, MimeBundle, Outcome, Status};
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};
use tempfile::NamedTempFile;

/// A notebook that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// It cannot be read.
    #[error("cannot read `{}`", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// It is not what a notebook is.
    #[error("`{}` is not a notebook of format 4: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Its outputs cannot be written back.
    #[error("cannot write the outputs to `{}`", .path.display())]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
}

impl Error {
    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Error::Unreadable { .. } => "give the path of a notebook that you may read",
            Error::Malformed { .. } => {
                "open it in Jupyter and save it, which brings it to format 4"
            }
            Error::NotWritable { .. } => "see to it that you may write to its folder",
        }
    }
}

/// A notebook.
#[derive(Debug)]
pub(crate) struct Notebook {
    path: PathBuf,
    whole: Map<String, Value>,
}

/// A cell of code.
#[derive(Debug)]
pub(crate) struct Cell<'a>(&'a mut Map<String, Value>);

/// What a run of a cell puts out.
#[derive(Debug, Default)]
pub(crate) struct Outputs(Vec<Value>);

impl Notebook {
    /// Reads a notebook.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let path = path.to_owned();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) => return Err(Error::Unreadable { path, source }),
        };
        let whole: Map<String, Value> = match serde_json::from_slice(&bytes) {
            Ok(whole) => whole,
            Err(error) => return Err(Error::Malformed { path, reason: error.to_string() }),
        };
        if whole.get("nbformat").and_then(Value::as_u64) != Some(4) {
            return Err(Error::Malformed { path, reason: "`nbformat` is not 4".into() });
        }
        if !whole.get("cells").is_some_and(Value::is_array) {
            return Err(Error::Malformed { path, reason: "there is no list `cells`".into() });
        }
        Ok(Self { path, whole })
    }

    /// Its cells of code that are not empty, from the first to the last.
    pub(crate) fn cells(&mut self) -> Vec<Cell<'_>> {
        let cells = self.whole.get_mut("cells").and_then(Value::as_array_mut);
        let cells = cells.into_iter().flatten().filter_map(Value::as_object_mut).map(Cell);
        cells.filter(|cell| cell.is_code() && !cell.source().trim().is_empty()).collect()
    }

    /// Writes it back, as a whole or not at all.
    pub(crate) fn write(&self) -> Result<(), Error> {
        let mut text = Vec::new();
        let form = PrettyFormatter::with_indent(b" ");
        let written = self.whole.serialize(&mut Serializer::with_formatter(&mut text, form));
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let kept = || -> io::Result<()> {
            written?;
            text.push(b'\n');
            let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            file.write_all(&text)?;
            let permissions = std::fs::metadata(&self.path)?.permissions();
            file.as_file().set_permissions(permissions)?;
            file.persist(&self.path)?;
            Ok(())
        };
        kept().map_err(|source| Error::NotWritable { path: self.path.clone(), source })
    }
}

impl Cell<'_> {
    fn is_code(&self) -> bool {
        self.0.get("cell_type").is_some_and(|kind| kind == "code")
    }

    /// Its code.
    pub(crate) fn source(&self) -> String {
        match self.0.get("source") {
            Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(text)) => text.clone(),
            _ => String::new(),
        }
    }

    /// Whether it says of itself that an exception in it is no reason to stop.
    pub(crate) fn may_raise(&self) -> bool {
        let tags = self.0.get("metadata").and_then(|metadata| metadata.get("tags"));
        let mut tags = tags.and_then(Value::as_array).into_iter().flatten();
        tags.any(|tag| tag == "raises-exception")
    }

    /// Forgets what came of it before.
    pub(crate) fn clear(&mut self) {
        self.set(&Value::Null, Outputs::default());
    }

    /// Remembers what came of it as the run of this number.
    pub(crate) fn fill(&mut self, number: usize, outputs: Outputs) {
        self.set(&json!(number), outputs);
    }

    fn set(&mut self, number: &Value, outputs: Outputs) {
        self.0.insert("execution_count".into(), number.clone());
        self.0.insert("outputs".into(), outputs.0.into());
    }
}

impl Outputs {
    /// Takes what happened.
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::Stdout { text } => self.write("stdout", text),
            Event::Stderr { text } => self.write("stderr", text),
            Event::Display { display } => {
                let mut output = bundle(display);
                output["output_type"] = json!("display_data");
                self.0.push(output);
            }
            _ => {}
        }
    }

    /// Takes how it ended: the value, or why there is none.
    pub(crate) fn end(&mut self, outcome: &Outcome, number: usize) {
        if let Some(value) = &outcome.value {
            let mut output = bundle(value);
            output["output_type"] = json!("execute_result");
            output["execution_count"] = json!(number);
            self.0.push(output);
        }
        if let Some(raised) = &outcome.exception {
            self.error(&raised.r#type, &raised.message, &raised.text);
        } else if outcome.status != Status::Ok {
            self.error(outcome.status.as_str(), &outcome.summary, &outcome.summary);
        }
    }

    fn error(&mut self, name: &str, message: &str, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        self.0.push(json!({
            "output_type": "error",
            "ename": name,
            "evalue": message,
            "traceback": lines,
        }));
    }

    /// Adds to the output before, when that is of the same stream.
    fn write(&mut self, name: &str, text: &str) {
        if let Some(last) = self.0.last_mut()
            && last["name"] == name
            && let Some(lines) = last["text"].as_array_mut()
        {
            let begun = lines.pop_if(|line| !line.as_str().unwrap_or_default().ends_with('\n'));
            let begun = begun.as_ref().and_then(Value::as_str).unwrap_or_default();
            lines.extend(split(&format!("{begun}{text}")));
            return;
        }
        let text: Vec<Value> = split(text).collect();
        self.0.push(json!({ "output_type": "stream", "name": name, "text": text }));
    }
}

fn bundle(bundle: &MimeBundle) -> Value {
    let data: BTreeMap<&String, Value> =
        bundle.data.iter().map(|(name, content)| (name, content_of(name, content))).collect();
    json!({ "data": data, "metadata": bundle.metadata })
}

/// Texts are lists of lines in a file.
fn content_of(mime_type: &str, content: &Value) -> Value {
    let is_text = mime_type.starts_with("text/") || mime_type == "image/svg+xml";
    match content {
        Value::String(text) if is_text => split(text).collect(),
        _ => content.clone(),
    }
}

fn split(text: &str) -> impl Iterator<Item = Value> {
    text.split_inclusive('\n').map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stdout(text: &str) -> Event {
        Event::Stdout { text: text.into() }
    }

    #[test]
    fn what_is_written_in_pieces_is_one_text_in_lines() {
        let mut outputs = Outputs::default();
        for text in ["a", "b\nc", "d\n", "e"] {
            outputs.take(&stdout(text));
        }
        let wanted =
            json!([{"name": "stdout", "output_type": "stream", "text": ["ab\n", "cd\n", "e"]}]);
        assert_eq!(Value::from(outputs.0), wanted);
    }

    #[test]
    fn another_stream_begins_another_output() {
        let mut outputs = Outputs::default();
        outputs.take(&stdout("a"));
        outputs.take(&Event::Stderr { text: "b".into() });
        outputs.take(&stdout("c"));
        assert_eq!(outputs.0.len(), 3);
    }

    #[test]
    fn what_is_no_notebook_is_told_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ipynb");
        for (text, reason) in [
            ("[]", "invalid type"),
            (r#"{"nbformat": 3, "worksheets": []}"#, "`nbformat` is not 4"),
            (r#"{"nbformat": 4}"#, "there is no list `cells`"),
        ] {
            std::fs::write(&path, text).unwrap();
            let told = Notebook::read(&path).unwrap_err().to_string();
            assert!(told.contains(reason), "{told}");
        }
    }
}
