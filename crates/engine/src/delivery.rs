//! Where the artifacts of a run go.

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Where the artifacts of a run go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Into the outcome, in base64.
    #[default]
    Inline,
    /// Into files below this folder, which is made when there are any.
    Folder(PathBuf),
}

/// Takes the artifacts of one run.
#[derive(Debug)]
pub(crate) struct Sink {
    delivery: Delivery,
}

impl Sink {
    pub(crate) fn new(delivery: Delivery) -> Self {
        Self { delivery }
    }

    /// Takes one; gives what the outcome holds of it. The path comes from the guest and is made of
    /// names that a folder listing gave, so no part of it is `..` or empty.
    pub(crate) fn take(&mut self, path: &str, content: Vec<u8>) -> io::Result<Option<String>> {
        match &self.delivery {
            Delivery::Inline => Ok(Some(STANDARD.encode(content))),
            Delivery::Folder(folder) => {
                let place = folder.join(safe(path));
                if let Some(parent) = place.parent() {
                    std::fs::create_dir_all(parent)?;
                }
                // A link that lies there already would lead the file to where it points.
                let flags = rustix::fs::OFlags::NOFOLLOW.bits();
                let mut options = std::fs::File::options();
                options.write(true).create(true).truncate(true);
                options.custom_flags(flags.cast_signed()).open(place)?.write_all(&content)?;
                Ok(None)
            }
        }
    }
}

/// A relative path whose names hold no control characters.
fn safe(path: &str) -> PathBuf {
    let clean = path.replace(char::is_control, "\u{fffd}");
    Path::new(&clean)
        .components()
        .filter(|part| matches!(part, std::path::Component::Normal(_)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_the_folder_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        std::fs::write(&other, "kept").unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join("a.txt")).unwrap();
        let mut sink = Sink::new(Delivery::Folder(folder.path().to_owned()));
        // The control: an ordinary file beside it is written.
        assert!(sink.take("b.txt", b"new".to_vec()).is_ok());
        assert!(sink.take("a.txt", b"new".to_vec()).is_err());
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "kept");
    }

    #[test]
    fn a_file_lands_below_the_folder_whatever_its_name() {
        for (name, place) in [
            ("a/b.txt", "a/b.txt"),
            ("../../etc/x", "etc/x"),
            ("/abs", "abs"),
            ("line\nbreak", "line\u{fffd}break"),
        ] {
            assert_eq!(safe(name), Path::new(place), "{name:?}");
        }
    }
}
