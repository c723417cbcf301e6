//! The walk over a work folder that a hostile guest has filled: each byte of the input makes an entry.

#![no_main]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;

const SECRET: &str = "not for the guest";

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, SECRET).unwrap();
    let data = folder.path().join("mount/data");
    fs::create_dir_all(&data).unwrap();
    let mut at: PathBuf = data.clone();
    for (number, byte) in bytes.iter().take(200).enumerate() {
        let name = format!("{}{number}", char::from(byte >> 3 | 0x40));
        let place = at.join(name);
        // Names that the file system refuses make no entry.
        let _ = match byte & 7 {
            0 => fs::write(&place, [*byte; 9]),
            1 => fs::create_dir(&place).map(|()| at = place.clone()),
            2 => symlink(&secret, &place),
            3 => symlink(folder.path(), &place),
            4 => symlink("../../secret", &place),
            5 => fs::hard_link(&place, at.join("again")),
            6 => fs::File::create(&place).and_then(|file| file.set_len(1 << 40)),
            _ => {
                at = at.parent().filter(|p| p.starts_with(&data)).unwrap_or(&data).to_owned();
                Ok(())
            }
        };
    }
    for content in execute_python_engine::fuzzing::collect(&folder.path().join("mount"), 1 << 16) {
        assert!(!content.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()));
        assert!(content.len() <= 1 << 16);
    }
});
