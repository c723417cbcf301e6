//! What is done with a rich result: its text is printed, or its picture becomes a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use execute_python_engine::protocol::MimeBundle;
use serde_json::Value;

/// The forms that become files, the best first, each with the ending of the file.
const FILES: [(&str, &str); 6] = [
    ("image/png", "png"),
    ("image/svg+xml", "svg"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("application/pdf", "pdf"),
];

/// How a rich result is shown to a person.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// As text.
    Text(String),
    /// As a file.
    File {
        /// The MIME type.
        mime_type: String,
        /// The ending of its name.
        ending: &'static str,
        /// The content.
        content: Vec<u8>,
    },
    /// It has no form that a person could look at.
    Nothing,
}

/// Chooses the form of a bundle: a picture, else text, else a page.
pub(crate) fn shown(bundle: &MimeBundle) -> Shown {
    let picture = FILES.iter().find_map(|(mime_type, ending)| file(bundle, mime_type, ending));
    // A chart of a JavaScript library: its text is a dump of all its data.
    let chart = bundle.data.keys().any(|key| key.starts_with("application/vnd."));
    let page = || file(bundle, "text/html", "html");
    let text = || bundle.text().map(|text| Shown::Text(text.to_owned()));
    picture
        .or_else(|| page().filter(|_| chart))
        .or_else(text)
        .or_else(page)
        .unwrap_or(Shown::Nothing)
}

fn file(bundle: &MimeBundle, mime_type: &str, ending: &'static str) -> Option<Shown> {
    let text = bundle.data.get(mime_type).and_then(Value::as_str)?;
    let is_text = mime_type.starts_with("text/") || mime_type.ends_with("+xml");
    let content = if is_text { text.as_bytes().to_vec() } else { decode(text)? };
    Some(Shown::File { mime_type: mime_type.to_owned(), ending, content })
}

/// Base64, which some libraries break into lines.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(forms: &[(&str, &str)]) -> MimeBundle {
        let data = forms.iter().map(|(key, text)| ((*key).to_owned(), Value::from(*text)));
        MimeBundle { data: data.collect(), ..MimeBundle::default() }
    }

    #[test]
    fn a_picture_becomes_a_file() {
        let figure = bundle(&[("text/plain", "<Figure>"), ("image/png", "aGVs\nbG8=\n")]);
        let file = Shown::File {
            mime_type: "image/png".into(),
            ending: "png",
            content: b"hello".to_vec(),
        };
        assert_eq!(shown(&figure), file);
    }

    #[test]
    fn a_table_is_shown_as_text() {
        let table = bundle(&[("text/plain", "a b"), ("text/html", "<table>")]);
        assert_eq!(shown(&table), Shown::Text("a b".into()));
    }

    #[test]
    fn a_chart_becomes_a_page() {
        let chart = bundle(&[
            ("text/plain", "Figure({...})"),
            ("text/html", "<div>"),
            ("application/vnd.plotly.v1+json", "{}"),
        ]);
        assert!(matches!(shown(&chart), Shown::File { ending: "html", .. }));
    }

    #[test]
    fn a_picture_that_is_none_is_shown_as_text() {
        let broken = bundle(&[("text/plain", "<Figure>"), ("image/png", "!!")]);
        assert_eq!(shown(&broken), Shown::Text("<Figure>".into()));
        assert_eq!(shown(&bundle(&[])), Shown::Nothing);
    }
}
