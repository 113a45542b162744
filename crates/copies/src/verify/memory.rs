//! Memory of an imagined program: every byte knows where its content came from.

use super::fast::Table;

/// A piece of memory: a variable, what a pointer pointed to at first (`*p`), a value that was
/// computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Object(u32);

/// A byte of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Byte {
    pub object: Object,
    pub offset: i64,
}

/// The value of a cell of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Number(i64),
    Pointer(Byte),
}

/// The names of objects.
#[derive(Debug, Clone, Default)]
pub(super) struct Objects {
    all: Vec<Named>,
    by_name: Table<String, Object>,
    /// Targets of pointers that were never set.
    behind: Table<Byte, Object>,
    /// Values that are computed at places of the text.
    computed: Table<usize, Object>,
}

#[derive(Debug, Clone)]
struct Named {
    name: String,
    /// The variable whose declaration tells the shape of what it holds.
    root: Object,
}

/// Bytes, and the numbers and pointers in them.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// Where the content of bytes came from; of others: from themselves.
    origins: Table<Byte, Byte>,
    held: Table<Byte, Held>,
    /// Bytes that were copied, all in all.
    pub copied: u64,
    /// Cells that are on their way in a copy.
    moved: Vec<(Byte, Option<Held>)>,
}

impl Objects {
    /// The object of a name.
    pub fn named(&mut self, name: &str) -> Object {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        let root = root_of(name);
        let root = (root != name).then(|| self.named(root));
        let object = Object(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(Named { name: name.to_owned(), root: root.unwrap_or(object) });
        self.by_name.insert(name.to_owned(), object);
        object
    }

    pub fn name(&self, object: Object) -> &str {
        self.get(object).map_or("", |named| &named.name)
    }

    pub fn root(&self, object: Object) -> Object {
        self.get(object).map_or(object, |named| named.root)
    }

    fn get(&self, object: Object) -> Option<&Named> {
        self.all.get(usize::try_from(object.0).ok()?)
    }

    /// The target of a pointer that was never set.
    pub fn behind(&mut self, pointer: Byte) -> Byte {
        let object = match self.behind.get(&pointer) {
            Some(&known) => known,
            None => {
                let name = format!("*{}+{}", self.name(pointer.object), pointer.offset);
                let object = self.named(&name);
                self.behind.insert(pointer, object);
                object
            }
        };
        Byte { object, offset: 0 }
    }

    /// The object for a value that is computed at a place of the text.
    pub fn computed(&mut self, place: usize) -> Object {
        match self.computed.get(&place) {
            Some(&known) => known,
            None => {
                let object = self.named(&format!("value at {place}"));
                self.computed.insert(place, object);
                object
            }
        }
    }
}

/// `p` of `*p+8`.
fn root_of(object: &str) -> &str {
    object.trim_start_matches('*').split('+').next().unwrap_or_default()
}

impl Memory {
    /// Nothing was ever written.
    pub fn clear(&mut self) {
        self.origins.clear();
        self.held.clear();
        self.copied = 0;
    }

    pub fn held(&self, at: Byte) -> Option<Held> {
        self.held.get(&at).copied()
    }

    pub fn set(&mut self, at: Byte, held: Held) {
        self.held.insert(at, held);
    }

    /// Copies bytes, and what is held in them.
    pub fn copy(&mut self, to: Byte, from: Byte, length: i64) {
        let mut moved = std::mem::take(&mut self.moved);
        moved.extend((0..length).map(|k| {
            let source = from.plus(k);
            (self.origin(source), self.held(source))
        }));
        self.copied = self.copied.saturating_add(u64::try_from(moved.len()).unwrap_or(u64::MAX));
        for (k, (origin, held)) in (0..).zip(moved.drain(..)) {
            let target = to.plus(k);
            match held {
                Some(held) => self.held.insert(target, held),
                None => self.held.remove(&target),
            };
            self.origins.insert(target, origin);
        }
        self.moved = moved;
    }

    /// The bytes get a content of their own.
    pub fn reset(&mut self, object: Object) {
        self.origins.retain(|byte, _| byte.object != object);
    }

    pub fn origin(&self, byte: Byte) -> Byte {
        self.origins.get(&byte).copied().unwrap_or(byte)
    }
}

impl Byte {
    pub fn plus(self, by: i64) -> Byte {
        Byte { object: self.object, offset: self.offset.wrapping_add(by) }
    }
}
