//! The states of a session that it can return to: who came from whom, which are kept.

use std::sync::Arc;

use execute_python_protocol::{Changes, Checkpoint, Difference};
use execute_python_sys::Pid;

use crate::session::part::Held;
use crate::work_folder::Snapshot;

/// Name, class and mark of each variable.
pub(crate) type Names = Vec<(String, String, u64)>;

/// A state of a session.
#[derive(Debug)]
pub(crate) struct Moment {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    /// The run that led to it.
    pub(crate) run: Option<String>,
    parent: Option<String>,
    created_at: String,
    /// Which state of the memory it has; several moments can differ in their files alone.
    pub(crate) memory: u64,
    pub(crate) files: Arc<Snapshot>,
    pub(crate) names: Arc<Names>,
    /// The copy of the process, once the process has moved on.
    pub(crate) held: Option<Held>,
}

/// The moments of a session, oldest first, and where it stands.
#[derive(Debug)]
pub(crate) struct Moments {
    list: Vec<Moment>,
    current: String,
    /// The memory that the live process has.
    memory: u64,
    /// The next number of a memory.
    next_memory: u64,
    /// How many automatic ones are kept.
    keep: usize,
}

impl Moments {
    /// A session at its beginning, which it can always return to.
    pub(crate) fn begin(files: Snapshot, keep: usize) -> Moments {
        let id = new_id();
        let moment = Moment {
            id: id.clone(),
            name: None,
            run: None,
            parent: None,
            created_at: jiff::Timestamp::now().to_string(),
            memory: 0,
            files: Arc::new(files),
            names: Arc::default(),
            held: None,
        };
        Moments { list: vec![moment], current: id, memory: 0, next_memory: 1, keep }
    }

    /// A branch at its beginning, which is another session's present. It is always kept.
    pub(crate) fn branch(files: Snapshot, names: &Arc<Names>, keep: usize) -> Moments {
        let mut moments = Moments::begin(files, keep);
        moments.move_on();
        let memory = moments.memory;
        for moment in &mut moments.list {
            moment.memory = memory;
            moment.name = Some(moment.id.clone());
            moment.names = Arc::clone(names);
        }
        moments
    }

    /// How many automatic ones are kept.
    pub(crate) fn keep(&self) -> usize {
        self.keep
    }

    /// Drops all copies.
    pub(crate) fn forget_all(&mut self) {
        for moment in &mut self.list {
            moment.held = None;
        }
    }

    /// The moment that the session stands at, or stood at before the run that goes on.
    pub(crate) fn current(&self) -> Option<&Moment> {
        self.list.iter().find(|moment| moment.id == self.current)
    }

    fn current_mut(&mut self) -> Option<&mut Moment> {
        self.list.iter_mut().find(|moment| moment.id == self.current)
    }

    /// The moments that need a copy of the live process before it moves on.
    pub(crate) fn without_copy(&self) -> usize {
        self.list.iter().filter(|moment| self.needs_copy(moment)).count()
    }

    fn needs_copy(&self, moment: &Moment) -> bool {
        // The beginning is there for the asking.
        moment.memory == self.memory
            && moment.memory != 0
            && moment.held.is_none()
            && (moment.name.is_some() || self.keep > 0)
    }

    /// Gives the moments that wait for one a copy of the process each.
    pub(crate) fn give_copies(&mut self, copies: Vec<Held>) {
        let memory = self.memory;
        let mut copies = copies.into_iter();
        for moment in &mut self.list {
            let waits = moment.memory == memory && memory != 0 && moment.held.is_none();
            if waits && (moment.name.is_some() || self.keep > 0) {
                moment.held = copies.next();
            }
        }
    }

    /// The process has moved on: its memory is a new one, and no moment has it yet.
    pub(crate) fn move_on(&mut self) {
        self.memory = self.next_memory;
        self.next_memory += 1;
    }

    /// The session stands at a new moment, after this run; the oldest automatic ones go.
    pub(crate) fn arrive(&mut self, run: String, files: Snapshot, names: Names) {
        let moment = Moment {
            id: new_id(),
            name: None,
            run: Some(run),
            parent: Some(self.current.clone()),
            created_at: jiff::Timestamp::now().to_string(),
            memory: self.memory,
            files: Arc::new(files),
            names: Arc::new(names),
            held: None,
        };
        self.current.clone_from(&moment.id);
        self.list.push(moment);
        while self.automatic().count() > self.keep.max(1) {
            self.drop_oldest();
        }
    }

    /// The automatic ones that can go: neither the beginning nor where the session stands.
    fn automatic(&self) -> impl Iterator<Item = &Moment> {
        self.list.iter().filter(|m| m.name.is_none() && m.memory != 0 && m.id != self.current)
    }

    /// Drops the oldest automatic moment. Gives `false` if there is none.
    pub(crate) fn drop_oldest(&mut self) -> bool {
        let Some(id) = self.automatic().next().map(|moment| moment.id.clone()) else {
            return false;
        };
        self.list.retain(|moment| moment.id != id);
        true
    }

    /// How many copies are kept beside that of where the session stands.
    pub(crate) fn spare_copies(&self) -> usize {
        self.automatic().filter(|moment| moment.held.is_some()).count()
    }

    /// The processes of all copies.
    pub(crate) fn copies(&self) -> impl Iterator<Item = Pid> {
        self.list.iter().filter_map(|moment| moment.held.as_ref()?.process.pid())
    }

    /// The files of the current moment are other ones: somebody put or removed one from outside. A
    /// moment that has a name stays as it is, and the session stands at a new one.
    pub(crate) fn change_files(&mut self, files: Snapshot) {
        let Some(current) = self.current_mut() else { return };
        if current.name.is_none() {
            current.files = Arc::new(files);
            return;
        }
        let moment = Moment {
            id: new_id(),
            name: None,
            run: current.run.clone(),
            parent: Some(current.id.clone()),
            created_at: jiff::Timestamp::now().to_string(),
            memory: current.memory,
            files: Arc::new(files),
            names: Arc::clone(&current.names),
            held: None,
        };
        self.current.clone_from(&moment.id);
        self.list.push(moment);
    }

    /// Names the moment that the session stands at, or another.
    pub(crate) fn name(&mut self, name: Option<String>) -> Option<Checkpoint> {
        if let Some(name) = &name {
            // A name means the last state that was given it.
            for moment in &mut self.list {
                if moment.name.as_ref() == Some(name) {
                    moment.name = None;
                }
            }
        }
        let current = self.current_mut()?;
        // Kept until it is dropped, with a name or without.
        current.name = Some(name.unwrap_or_else(|| current.id.clone()));
        self.current().map(|moment| self.told(moment))
    }

    /// Forgets a checkpoint. Where the session stands it only loses its name.
    pub(crate) fn forget(&mut self, id: &str) {
        for moment in &mut self.list {
            if moment.id == id {
                moment.name = None;
            }
        }
        let current = self.current.clone();
        self.list.retain(|moment| moment.id != id || moment.id == current || moment.memory == 0);
    }

    /// The moment that an id, a name or the id of the run before it means.
    pub(crate) fn find(&self, name: &str) -> Option<&Moment> {
        let by_run = |moment: &&Moment| moment.run.as_deref() == Some(name);
        self.list
            .iter()
            .find(|moment| moment.id == name || moment.name.as_deref() == Some(name))
            .or_else(|| self.list.iter().rev().find(by_run))
            .or_else(|| (name == "start").then(|| self.list.first()).flatten())
    }

    /// The nearest moment that can be returned to, from the current one back.
    pub(crate) fn nearest(&self) -> Option<&Moment> {
        let mut at = self.current();
        while let Some(moment) = at {
            if self.is_there(moment) {
                return Some(moment);
            }
            let parent = moment.parent.as_deref()?;
            at = self.list.iter().find(|moment| moment.id == parent);
        }
        self.list.iter().rev().find(|moment| self.is_there(moment))
    }

    /// Whether there is a way back to it.
    pub(crate) fn is_there(&self, moment: &Moment) -> bool {
        moment.held.is_some() || moment.memory == 0 || moment.memory == self.memory
    }

    /// Takes the copy of a moment, or of another one with the same memory, and stands there.
    pub(crate) fn return_to(&mut self, id: &str) -> Option<Held> {
        let memory = self.list.iter().find(|moment| moment.id == id)?.memory;
        id.clone_into(&mut self.current);
        self.memory = memory;
        let own = self.list.iter_mut().find(|moment| moment.id == id);
        own.and_then(|moment| moment.held.take())
    }

    /// Whether the live process has the memory of this moment.
    pub(crate) fn has_memory_of(&self, moment: &Moment) -> bool {
        moment.memory == self.memory
    }

    /// All of them, oldest first, as they are told to callers: those that can be returned to.
    pub(crate) fn list(&self) -> Vec<Checkpoint> {
        let there = self.list.iter().filter(|moment| self.is_there(moment));
        there.map(|moment| self.told(moment)).collect()
    }

    fn told(&self, moment: &Moment) -> Checkpoint {
        Checkpoint {
            id: moment.id.clone(),
            name: moment.name.clone().filter(|name| *name != moment.id),
            run: moment.run.clone(),
            parent: moment.parent.clone(),
            created_at: moment.created_at.clone(),
            current: moment.id == self.current && moment.memory == self.memory,
        }
    }
}

/// What is different in `now` from what it was.
pub(crate) fn difference(then: (&Names, &Snapshot), now: (&Names, &Snapshot)) -> Difference {
    let by_name = |names: &Names, name: &str| {
        names
            .iter()
            .find(|(other, ..)| other == name)
            .map(|(_, class, mark)| (class.clone(), *mark))
    };
    let told = |(name, class, _): &(String, String, u64)| format!("{name}: {class}");
    let new_in = |one: &Names, other: &Names| -> Vec<String> {
        one.iter().filter(|(name, ..)| by_name(other, name).is_none()).map(told).collect()
    };
    let changed = now.0.iter().filter(|(name, class, mark)| {
        by_name(then.0, name).is_some_and(|before| before != (class.clone(), *mark))
    });
    let [added, removed, other] = now.1.changes(then.1);
    Difference {
        variables: Changes {
            added: new_in(now.0, then.0),
            removed: new_in(then.0, now.0),
            changed: changed.map(told).collect(),
        },
        files: Changes { added, removed, changed: other },
    }
}

fn new_id() -> String {
    format!("ckp_{}", uuid::Uuid::new_v4().simple())
}
