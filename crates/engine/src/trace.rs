//! Where a program is, as its interpreter's native traceback dump tells.

use execute_python_protocol::Frame;

/// The most frames that are taken.
const MOST_FRAMES: usize = 100;

/// Reads a dump of CPython's `faulthandler`: threads, each with its innermost frame first. Gives the
/// frames of the thread that runs the program, innermost last, ours left out; the source lines are
/// those of the program.
pub(crate) fn frames(dump: &str, name: &str, code: &str) -> Vec<Frame> {
    let threads: Vec<Vec<Frame>> = dump
        .split("\n\n")
        .map(|thread| thread.lines().filter_map(frame).take(MOST_FRAMES).collect())
        .collect();
    // The main thread is the one that the runner started the program in.
    let main = threads.iter().rev().find(|t| t.iter().any(|frame| is_ours(&frame.file)));
    let mut frames = main.or_else(|| threads.last()).cloned().unwrap_or_default();
    frames.reverse();
    // What comes before the program's own first frame started it.
    let first = frames.iter().position(|frame| frame.file == name);
    frames.drain(..first.unwrap_or(0));
    frames.retain(|frame| !is_ours(&frame.file));
    add_sources(&mut frames, name, code);
    frames
}

/// The same for the thread that dumped, whichever it is: it is the one whose call waits.
pub(crate) fn frames_of_caller(dump: &str, name: &str, code: &str) -> Vec<Frame> {
    let own = dump.find("Current thread").map_or("", |at| &dump[at..]);
    let own = own.split("\n\n").next().unwrap_or_default();
    let mut frames: Vec<Frame> = own
        .lines()
        .filter_map(frame)
        .take_while(|frame| !is_ours(&frame.file))
        .take(MOST_FRAMES)
        .collect();
    frames.reverse();
    add_sources(&mut frames, name, code);
    frames
}

/// Adds the lines of the program where they are known.
pub(crate) fn add_sources(frames: &mut [Frame], name: &str, code: &str) {
    for frame in frames {
        if frame.file == name {
            frame.source = source_line(code, frame.line);
        }
    }
}

/// Whether a dump has come to its end: its last frame is the one that a zygote begins with.
pub(crate) fn is_whole(dump: &[u8]) -> bool {
    let last = dump.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    dump.ends_with(b" in <module>\n") && last.starts_with(b"  File \"<string>\"")
}

/// Whether a file is the runner's own.
fn is_ours(file: &str) -> bool {
    file.starts_with("<execute-python>")
}

fn source_line(code: &str, line: Option<u32>) -> Option<String> {
    let index = usize::try_from(line?).ok()?.checked_sub(1)?;
    code.lines().nth(index).map(|line| line.trim().to_owned())
}

/// One line, such as `  File "main.py", line 4 in work`.
fn frame(line: &str) -> Option<Frame> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.rsplit_once("\", line ")?;
    let (line, function) = rest.split_once(" in ")?;
    Some(Frame {
        file: file.to_owned(),
        line: line.parse().ok(),
        function: function.to_owned(),
        source: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frames_of_the_program_are_taken_innermost_last() {
        let dump = "\
Thread 0x00007f1 (most recent call first):
  File \"/usr/lib/python3.11/threading.py\", line 320 in wait
  File \"main.py\", line 9 in waiter

Current thread 0x00007f2 (most recent call first):
  File \"main.py\", line 2 in spin
  File \"main.py\", line 4 in <module>
  File \"<execute-python>/cell.py\", line 77 in run
  File \"<string>\", line 9 in <module>
";
        let found = frames(dump, "main.py", "def spin():\n    while True: pass\n\nspin()");
        let shown: Vec<_> =
            found.iter().map(|f| (f.line, f.function.as_str(), f.source.as_deref())).collect();
        assert_eq!(
            shown,
            [(Some(4), "<module>", Some("spin()")), (Some(2), "spin", Some("while True: pass")),]
        );
    }

    #[test]
    fn garbage_gives_no_frames() {
        assert_eq!(frames("\u{fffd} File \"x\nline", "main.py", ""), []);
    }
}
