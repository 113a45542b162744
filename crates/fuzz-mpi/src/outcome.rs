//! The observations of a rank on an operation, and how two ways to make it are compared.

use crate::memory::Memory;

/// A number that a program gets, and what the standard says that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fact {
    what: String,
    value: i64,
    prescribed: Option<i64>,
}

/// A buffer afterwards.
#[derive(Debug, Clone)]
struct Buffer {
    what: String,
    memory: Memory,
    /// The content before, where the library alone may write to it though it should not: then
    /// nothing is judged.
    before: Option<Memory>,
}

/// The observations of a rank on one operation.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    facts: Vec<Fact>,
    memories: Vec<Buffer>,
    /// A call that should have succeeded.
    failed: Option<String>,
    /// The same, made once more in the same way: where that ends otherwise, nothing is promised.
    again: Option<Box<Outcome>>,
}

impl Outcome {
    /// A number that the program gets: a count, an error class, a position.
    pub fn fact(&mut self, what: impl Into<String>, value: impl Into<i64>) {
        self.facts.push(Fact { what: what.into(), value: value.into(), prescribed: None });
    }

    /// A number that the standard prescribes. Where the library alone gives another one it is not
    /// judged.
    pub fn prescribed(&mut self, what: &str, value: i64, prescribed: i64) {
        let prescribed = Some(prescribed);
        self.facts.push(Fact { what: what.to_owned(), value, prescribed });
    }

    /// The error class of a call that the standard lets succeed. Where it fails with the library
    /// alone nothing is judged: `MPI_Sendrecv_replace` of MPICH 4.0 says `MPI_ERR_TRUNCATE` for
    /// some structs.
    pub fn succeeds(&mut self, what: &str, class: i64) {
        if class != 0 {
            self.failed.get_or_insert_with(|| format!("{what} is {class}"));
        }
        self.fact(what, class);
    }

    /// A buffer afterwards.
    pub fn memory(&mut self, what: impl Into<String>, memory: Memory) {
        self.memories.push(Buffer { what: what.into(), memory, before: None });
    }

    /// A buffer that nobody should have written to. Where the library alone does, others may too.
    pub fn spared(&mut self, what: impl Into<String>, memory: Memory, before: Memory) {
        self.memories.push(Buffer { what: what.into(), memory, before: Some(before) });
    }

    /// The observations together with those of the same operation once more.
    pub fn repeated(self, again: Outcome) -> Outcome {
        Outcome { again: Some(Box::new(again)), ..self }
    }
}

/// How an operation ended on this rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// As it should.
    Right,
    /// The library alone does something else than the standard says.
    Library(String),
    /// The preload changes what the program sees.
    Wrong(String),
}

/// Compares what was seen with the library alone and through the preload, with each other and with
/// what the standard prescribes for the buffers (in the order in which they were noted).
pub fn judge(native: &Outcome, wrapped: &Outcome, expected: &[Memory]) -> Comparison {
    if let Some(failed) = &native.failed {
        return Comparison::Library(format!("{failed} natively"));
    }
    let again = native.again.as_deref().unwrap_or(native);
    if native.facts.len() != again.facts.len() {
        return Comparison::Library("what is seen is not the same twice".to_owned());
    }
    let mut library = None;
    for (i, (native, wrapped)) in native.memories.iter().zip(&wrapped.memories).enumerate() {
        let (what, n, w) = (&native.what, &native.memory, &wrapped.memory);
        // Where the library alone writes to what it should spare, how much depends on how the
        // message was sent.
        let spills = native.before.as_ref().is_some_and(|before| n.difference(before).is_some());
        let unsettled = |at| {
            spills
                || !n.agrees_at(&again.memories[i].memory, at)
                || wrapped.before.as_ref().is_some_and(|before| w.agrees_at(before, at))
        };
        let right = expected.get(i);
        let native_wrong = right.and_then(|right| n.difference(right));
        if let Some((at, is, should)) = native_wrong {
            let text =
                format!("{what}: the byte at {at} is {is:#04x} natively, should be {should:#04x}");
            library.get_or_insert(text);
        }
        // A buffer that the library alone leaves wrong is not judged. It need not even be wrong in
        // the same way twice: for some nested types Open MPI 4.1 sends bytes from beside the
        // buffer.
        let wrong = match right {
            Some(_) if native_wrong.is_some() => None,
            Some(right) => w.difference(right),
            None => w.difference_but(n, unsettled),
        };
        if let Some((at, is, should)) = wrong {
            return Comparison::Wrong(format!(
                "{what}: the byte at {at} is {is:#04x}, should be {should:#04x}"
            ));
        }
    }
    for ((n, w), again) in native.facts.iter().zip(&wrapped.facts).zip(&again.facts) {
        if (&n.what, n.value) != (&again.what, again.value) {
            continue;
        }
        if let Some(right) = n.prescribed.filter(|right| n.value != *right) {
            library = Some(format!("{} is {}, should be {right}", n.what, n.value));
        // Where it leaves a wrong buffer, it may have counted what it left.
        } else if (&n.what, n.value) != (&w.what, w.value) && library.is_none() {
            let [(n, x), (w, y)] = [(&n.what, n.value), (&w.what, w.value)];
            return Comparison::Wrong(format!("{n} is {x} natively, {w} = {y} here"));
        }
    }
    if native.facts.len() != wrapped.facts.len() && library.is_none() {
        let (n, w) = (native.facts.len(), wrapped.facts.len());
        return Comparison::Wrong(format!("{n} observations natively, {w} here"));
    }
    library.map_or(Comparison::Right, Comparison::Library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_the_library_alone_gets_wrong_is_not_judged() {
        let with = |value| {
            let mut outcome = Outcome::default();
            outcome.prescribed("the position", value, 5);
            outcome
        };
        assert!(matches!(judge(&with(4), &with(5), &[]), Comparison::Library(_)));
        assert!(matches!(judge(&with(5), &with(4), &[]), Comparison::Wrong(_)));
        assert_eq!(judge(&with(5), &with(5), &[]), Comparison::Right);
    }

    fn outcome(count: i64, seed: u64) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.fact("count", count);
        outcome.memory("the buffer", Memory::holding([[0, 9].as_slice()], seed));
        outcome
    }

    #[test]
    fn a_call_that_fails_with_the_library_alone_is_not_judged() {
        let with = |class| {
            let mut outcome = Outcome::default();
            outcome.succeeds("exchanged", class);
            outcome
        };
        assert!(matches!(judge(&with(14), &with(0), &[]), Comparison::Library(_)));
        assert!(matches!(judge(&with(0), &with(14), &[]), Comparison::Wrong(_)));
        assert_eq!(judge(&with(0), &with(0), &[]), Comparison::Right);
    }

    #[test]
    fn what_the_library_alone_does_not_do_twice_is_not_judged() {
        let right = outcome(1, 1).repeated(outcome(1, 1));
        assert!(matches!(judge(&right, &outcome(2, 1), &[]), Comparison::Wrong(_)));
        assert!(matches!(judge(&right, &outcome(1, 2), &[]), Comparison::Wrong(_)));
        assert_eq!(judge(&right, &outcome(1, 1), &[]), Comparison::Right);
        let moody = outcome(1, 1).repeated(outcome(3, 2));
        assert_eq!(judge(&moody, &outcome(2, 2), &[]), Comparison::Right);
        let longer = outcome(1, 1).repeated(Outcome::default());
        assert!(matches!(judge(&longer, &outcome(1, 1), &[]), Comparison::Library(_)));
    }

    #[test]
    fn bytes_that_only_the_library_alone_writes_may_stay() {
        let places = [0, 1, 2];
        let before = Memory::holding([places.as_slice()], 1);
        let spared = |bytes: &[u8]| {
            let (mut outcome, mut memory) = (Outcome::default(), before.clone());
            memory.scatter(&places, bytes);
            outcome.spared("beside", memory, before.clone());
            outcome
        };
        let kept = before.gather(&places);
        let written: Vec<u8> = kept.iter().map(|byte| !byte).collect();
        let native = spared(&written);
        assert_eq!(judge(&native, &spared(&written), &[]), Comparison::Right);
        assert_eq!(judge(&native, &spared(&kept), &[]), Comparison::Right);
        assert_eq!(
            judge(&native, &spared(&[kept[0] ^ 1, written[1], kept[2]]), &[]),
            Comparison::Right
        );
        assert_eq!(judge(&spared(&kept), &spared(&kept), &[]), Comparison::Right);
        assert!(matches!(judge(&spared(&kept), &spared(&written), &[]), Comparison::Wrong(_)));
    }

    #[test]
    fn differences_are_named_and_blamed_on_the_right_side() {
        let right = [Memory::holding([[0, 9].as_slice()], 1)];
        assert_eq!(judge(&outcome(1, 1), &outcome(1, 1), &right), Comparison::Right);
        let wrong = judge(&outcome(1, 1), &outcome(2, 1), &right);
        assert!(matches!(&wrong, Comparison::Wrong(why) if why.contains("count")), "{wrong:?}");
        assert!(matches!(judge(&outcome(1, 1), &outcome(1, 2), &right), Comparison::Wrong(_)));
        assert!(matches!(judge(&outcome(1, 2), &outcome(1, 2), &right), Comparison::Library(_)));
        assert!(matches!(judge(&outcome(1, 2), &outcome(1, 1), &right), Comparison::Library(_)));
        assert!(matches!(judge(&outcome(1, 2), &outcome(1, 3), &right), Comparison::Library(_)));
        assert!(matches!(judge(&outcome(1, 2), &outcome(1, 3), &[]), Comparison::Wrong(_)));
    }
}
