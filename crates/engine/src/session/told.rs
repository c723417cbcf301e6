//! What is told of the state of a session after a run.

use execute_python_protocol::{Outcome, SessionState, StateKind, Status};

use crate::session::part::Refused;

/// The process lives and has all that the run did.
pub(crate) fn kept(outcome: &Outcome, rewindable: bool, refused: Option<Refused>) -> SessionState {
    let mut message = match outcome.status {
        Status::Ok => "all that the run did is kept".to_owned(),
        _ => "what the run did until then is kept".to_owned(),
    };
    if !rewindable {
        message.push_str("; there is no way back to the state before it");
        message.push_str(because(refused));
    }
    state(StateKind::Kept, rewindable, message)
}

/// The process was lost and the session went back. `at_once` says whether to right before the run.
pub(crate) fn rewound(run: Option<&str>, at_once: bool, refused: Option<Refused>) -> SessionState {
    let place = match run {
        Some(run) => format!("as it was after {run}"),
        None => "as it was at its beginning".to_owned(),
    };
    let mut message = format!("what this run did is undone: variables and files are {place}");
    if !at_once {
        message.push_str(", which is not the state right before this run");
        message.push_str(because(refused));
    }
    state(StateKind::Rewound, at_once, message)
}

/// Why there is no way back to right before a run, as the end of a sentence.
pub(crate) fn because(refused: Option<Refused>) -> &'static str {
    match refused {
        Some(Refused::Threads) => {
            ", because threads of the program were alive, which no checkpoint can hold: end them \
             (`join`, `shutdown`) within the run that starts them"
        }
        Some(Refused::Kernel) => ", because the kernel could not make a checkpoint",
        None => ", because checkpoints are off",
    }
}

/// There is nothing to go back to.
pub(crate) fn nothing_left(reason: &str) -> SessionState {
    let message = format!("the session is lost ({reason}): open another one and begin anew");
    state(StateKind::Lost, false, message)
}

fn state(kind: StateKind, rewindable: bool, message: String) -> SessionState {
    SessionState { kind, checkpoint: None, run: None, rewindable, message }
}
