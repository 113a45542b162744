//! Memory of an imagined program: every byte knows where its content came from.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// A piece of memory: a variable, or what a pointer pointed to at first (`*p`).
pub(super) type Object = String;

/// A byte of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Byte {
    pub object: Object,
    pub offset: i64,
}

/// What a cell of memory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Held {
    Number(i64),
    Pointer(Byte),
}

/// How large what is drawn by chance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// From 0 to 6: empty loops too, but not often.
    Any,
    /// From 3 to 8: loops turn, and a picture can show it.
    Lively,
}

/// Bytes, and the numbers and pointers in them. What was never written has a value that depends on its place and the seed only.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    seed: u64,
    sizes: Sizes,
    /// Where the content of bytes came from; of others: from themselves.
    origins: HashMap<Byte, Byte>,
    held: HashMap<Byte, Held>,
    /// Bytes that were copied, all in all.
    pub copied: u64,
}

impl Memory {
    pub fn new(seed: u64, sizes: Sizes) -> Memory {
        Memory { seed, sizes, origins: HashMap::new(), held: HashMap::new(), copied: 0 }
    }

    /// As it was before anything was written.
    pub fn fresh(&self) -> Memory {
        Memory::new(self.seed, self.sizes)
    }

    /// A small number that belongs to a key.
    pub fn random(&self, key: impl Hash) -> i64 {
        let drawn = match self.sizes {
            Sizes::Any => self.hash(key) % 27 / 4,
            Sizes::Lively => 3 + self.hash(key) % 6,
        };
        i64::try_from(drawn).unwrap_or(0)
    }

    /// How many elements from one to the next, in memory that has gaps.
    pub fn gap(&self, key: impl Hash) -> i64 {
        match self.sizes {
            Sizes::Any => 1 + self.random(key),
            Sizes::Lively => 1 + i64::from(self.chance(key)),
        }
    }

    /// What is decided by nothing that is known.
    pub fn chance(&self, key: impl Hash) -> bool {
        self.hash(key) % 27 / 4 > 2
    }

    fn hash(&self, key: impl Hash) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, key).hash(&mut hasher);
        hasher.finish()
    }

    pub fn number(&self, at: &Byte) -> i64 {
        match self.held.get(at) {
            Some(Held::Number(number)) => *number,
            Some(Held::Pointer(_)) | None => self.random(at),
        }
    }

    pub fn pointer(&self, at: &Byte) -> Byte {
        match self.held.get(at) {
            Some(Held::Pointer(to)) => to.clone(),
            _ => Byte { object: format!("*{}+{}", at.object, at.offset), offset: 0 },
        }
    }

    pub fn set(&mut self, at: Byte, held: Held) {
        self.held.insert(at, held);
    }

    /// Copies bytes, and what is held in them.
    pub fn copy(&mut self, to: &Byte, from: &Byte, length: i64) {
        let moved: Vec<(Byte, Byte, Option<Held>)> = (0..length)
            .map(|k| {
                let (target, source) = (to.plus(k), from.plus(k));
                let origin = self.origin(&source);
                let held = self.held.get(&source).cloned();
                (target, origin, held)
            })
            .collect();
        self.copied = self.copied.saturating_add(u64::try_from(moved.len()).unwrap_or(u64::MAX));
        for (target, origin, held) in moved {
            match held {
                Some(held) => self.held.insert(target.clone(), held),
                None => self.held.remove(&target),
            };
            self.origins.insert(target, origin);
        }
    }

    /// The bytes get a content of their own.
    pub fn reset(&mut self, object: &str) {
        self.origins.retain(|byte, _| byte.object != object);
    }

    pub fn origin(&self, byte: &Byte) -> Byte {
        self.origins.get(byte).unwrap_or(byte).clone()
    }
}

impl Byte {
    pub fn plus(&self, by: i64) -> Byte {
        Byte { object: self.object.clone(), offset: self.offset.wrapping_add(by) }
    }
}
