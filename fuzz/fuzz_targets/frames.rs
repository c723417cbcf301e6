//! Bytes of a hostile worker: frames, and the messages in them.

#![no_main]

use execute_python_sandbox::wire::{Cell, Report, split_frame};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Ok(Some((content, taken))) = split_frame(rest) {
        assert!(taken <= rest.len() && content.len() < taken);
        execute_python_engine::fuzzing::parse_message(content);
        rest = &rest[taken..];
    }
    execute_python_engine::fuzzing::parse_message(bytes);
    if let Some(report) = Report::from_bytes(bytes) {
        assert_eq!(Report::from_bytes(&report.to_bytes()), Some(report));
    }
    if let Some(cell) = Cell::from_bytes(bytes) {
        assert_eq!(Cell::from_bytes(&cell.to_bytes()), Some(cell));
    }
});
