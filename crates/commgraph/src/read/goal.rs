//! GOAL, the group operation assembly language of LogGOPSim (Hoefler, Siebert, Lumsdaine: "Group
//! Operation Assembly Language", ICPP'09).
//!
//! ```text
//! num_ranks 2
//! rank 0 { l1: send 8b to 1 tag 0   l2: calc 100   l2 requires l1 }
//! rank 1 { l1: recv 8b from 0 tag 0
//!          //@ l1 addr=0x40
//! }
//! ```
//! `requires` waits until the other operation has completed, `irequires` until it has started.
//! GOAL has no addresses: comments `//@ LABEL addr=N` add them, `//@ dead addr=N size=N` declares
//! memory of the rank dead. Without them only matching, deadlocks and wait sets can be known.
//! `cpu` and `nic` do not matter here.

use std::collections::HashMap;
use std::ops::Range;

use commloom_layout::text::ParseError;

use super::places::Noted;
use super::{MAX_RANKS, Program};
use crate::builder::{Builder, Dependencies, Handle};
use crate::ids::{Address, Bytes, Communicator, Process, Tag};

/// Reads a file. O(n), without recursion.
///
/// # Errors
/// The text that was expected, with its place.
pub fn read(text: &str) -> Result<Program, ParseError> {
    let mut words = Words { text, at: 0 };
    words.expect("num_ranks")?;
    let (ranks, span) = words.number("a number of ranks", u64::from(MAX_RANKS))?;
    let ranks = u32::try_from(ranks).map_err(|_| words.error(span, "too many ranks"))?;
    let mut blocks: Vec<(u32, Block)> = Vec::new();
    let mut known = vec![false; usize::try_from(ranks).unwrap_or(0)];
    while let Some(word) = words.next()? {
        if word.text != "rank" {
            return Err(words.unexpected(&word, "`rank` or the end of the file"));
        }
        let (rank, span) = words.number("a rank", u64::from(ranks).saturating_sub(1))?;
        let index = usize::try_from(rank).unwrap_or(usize::MAX);
        match known.get_mut(index) {
            Some(known) if !*known => *known = true,
            Some(_) => {
                return Err(words.error(span, format!("rank {rank} has a block already")));
            }
            None => return Err(words.error(span, format!("there are {ranks} ranks"))),
        }
        let rank = u32::try_from(rank).unwrap_or(u32::MAX);
        blocks.push((rank, Block::read(&mut words)?));
    }
    let addressed = blocks.iter().any(|(_, b)| b.lines.iter().any(|l| l.address.is_some()));
    let mut builder = Builder::new(ranks, Dependencies::Explicit);
    let mut places = Noted::default();
    for (rank, block) in &blocks {
        block.add(&mut builder, &mut places, Process(*rank), addressed, &words)?;
    }
    let graph = builder.finish().map_err(|e| words.error(text.len()..text.len(), e.to_string()))?;
    Ok(Program { graph, addressed, places: places.finish(false) })
}

#[derive(Debug, Clone, Copy)]
enum What {
    Send(u32, i32),
    Receive(u32, i32),
    Calculate,
}

struct Line {
    what: What,
    bytes: u64,
    address: Option<u64>,
    span: Range<usize>,
}

/// The operations of a rank.
#[derive(Default)]
struct Block {
    lines: Vec<Line>,
    /// Dependent, required, and whether it must only have started.
    edges: Vec<(usize, usize, bool)>,
    dead: Vec<(u64, u64, Range<usize>)>,
}

impl Block {
    fn read<'a>(words: &mut Words<'a>) -> Result<Block, ParseError> {
        words.expect("{")?;
        let mut block = Block::default();
        let mut labels: HashMap<&'a str, usize> = HashMap::new();
        // Labels may be used before they are defined.
        let mut edges: Vec<(Word<'a>, Word<'a>, bool)> = Vec::new();
        let mut addresses: Vec<(Word<'a>, u64)> = Vec::new();
        loop {
            let word = words.some("an operation or `}`")?;
            match word.text {
                "}" => break,
                ";" => {}
                "//@" => {
                    let label = words.some("a label or `dead`")?;
                    let address = words.setting("addr")?;
                    if label.text == "dead" {
                        block.dead.push((address, words.setting("size")?, label.span));
                    } else {
                        addresses.push((label, address));
                    }
                }
                _ => {
                    let next = words.some("`:`, `requires` or `irequires`")?;
                    match next.text {
                        ":" => {
                            if labels.insert(word.text, block.lines.len()).is_some() {
                                let message = format!("the label `{}` is there twice", word.text);
                                return Err(words.error(word.span, message));
                            }
                            block.lines.push(operation(words)?);
                        }
                        "requires" | "irequires" => {
                            let on = words.some("a label")?;
                            edges.push((word, on, next.text == "irequires"));
                        }
                        _ => return Err(words.unexpected(&next, "`:`, `requires` or `irequires`")),
                    }
                }
            }
        }
        let find = |label: &Word| {
            let known = labels.get(label.text).copied();
            known.ok_or_else(|| {
                words.error(label.span.clone(), format!("there is no operation `{}`", label.text))
            })
        };
        for (of, on, started) in edges {
            block.edges.push((find(&of)?, find(&on)?, started));
        }
        for (label, address) in addresses {
            block.lines[find(&label)?].address = Some(address);
        }
        Ok(block)
    }

    fn add(
        &self,
        builder: &mut Builder,
        places: &mut Noted,
        process: Process,
        addressed: bool,
        words: &Words,
    ) -> Result<(), ParseError> {
        let at =
            |span: &Range<usize>, e: crate::BuildError| words.error(span.clone(), e.to_string());
        let mut ends: Vec<Handle> = Vec::with_capacity(self.lines.len());
        for line in &self.lines {
            if addressed && line.address.is_none() && line.bytes > 0 {
                let what =
                    "other operations have addresses (`//@ LABEL addr=N`), this one has none";
                return Err(words.error(line.span.clone(), what));
            }
            let buffer = (Address(line.address.unwrap_or(0)), Bytes(line.bytes));
            let comm = Communicator(0);
            let handle = match line.what {
                What::Send(to, tag) => builder.send(process, buffer, Process(to), Tag(tag), comm),
                What::Receive(from, tag) => {
                    builder.receive(process, buffer, Process(from), Tag(tag), comm)
                }
                What::Calculate => builder.nothing(process),
            };
            ends.push(handle.map_err(|e| at(&line.span, e))?);
            places.push(process, &line.span);
        }
        // An operation that others wait for to start gets a place where it starts.
        let mut starts: HashMap<usize, Handle> = HashMap::new();
        for (_, on, _) in self.edges.iter().filter(|(_, _, started)| *started) {
            if !starts.contains_key(on) {
                let span = &self.lines[*on].span;
                let start = builder.nothing(process).map_err(|e| at(span, e))?;
                places.push(process, span);
                builder.depend(ends[*on], start).map_err(|e| at(span, e))?;
                starts.insert(*on, start);
            }
        }
        for (of, on, started) in &self.edges {
            let on = if *started { starts[on] } else { ends[*on] };
            let of_start = starts.get(of).copied().unwrap_or(ends[*of]);
            builder.depend(of_start, on).map_err(|e| at(&self.lines[*of].span, e))?;
        }
        for (start, length, span) in &self.dead {
            let dead = builder.dead(process, Address(*start), Bytes(*length));
            dead.map_err(|e| at(span, e))?;
        }
        Ok(())
    }
}

/// The operation that follows a label and its colon.
fn operation(words: &mut Words) -> Result<Line, ParseError> {
    let word = words.some("`send`, `recv` or `calc`")?;
    let span = word.span.clone();
    let direction = match word.text {
        "send" => "to",
        "recv" => "from",
        "calc" => {
            words.number("a duration", u64::MAX)?;
            words.attributes()?;
            return Ok(Line { what: What::Calculate, bytes: 0, address: None, span });
        }
        _ => return Err(words.unexpected(&word, "`send`, `recv` or `calc`")),
    };
    let size = words.some("a size such as `8b`")?;
    let bytes = size.text.strip_suffix('b').and_then(|n| n.parse().ok());
    let bytes = bytes.ok_or_else(|| words.unexpected(&size, "a size such as `8b`, below 2^64"))?;
    words.expect(direction)?;
    let (peer, _) = words.number("a rank", u64::from(u32::MAX))?;
    let peer = u32::try_from(peer).unwrap_or(u32::MAX);
    let tag = words.attributes()?;
    let what = if direction == "to" { What::Send(peer, tag) } else { What::Receive(peer, tag) };
    Ok(Line { what, bytes, address: None, span })
}

#[derive(Debug, Clone)]
struct Word<'a> {
    text: &'a str,
    span: Range<usize>,
}

/// The words of a file, comments left out.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<Option<Word<'a>>, ParseError> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = &rest[blank..];
            if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    let span = self.at..self.at + 2;
                    return Err(self.error(span, "this comment has no end `*/`"));
                };
                self.at += end + 2;
            } else if rest.starts_with("//") && !rest.starts_with("//@") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                break;
            }
        }
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let length = if "{}:;=".contains(first) {
            1
        } else if rest.starts_with("//@") {
            3
        } else {
            let ends = |c: char| c.is_whitespace() || "{}:;=".contains(c);
            let end = rest.find(ends).unwrap_or(rest.len());
            // A comment may follow without a blank.
            // Only in this word: a search up to the next comment makes long files quadratic.
            let comment = ["//", "/*"].iter().filter_map(|mark| rest[..end].find(mark)).min();
            end.min(comment.filter(|at| *at > 0).unwrap_or(end))
        };
        let span = self.at..self.at + length;
        self.at += length;
        Ok(Some(Word { text: &self.text[span.clone()], span }))
    }

    fn some(&mut self, expected: &str) -> Result<Word<'a>, ParseError> {
        let word = self.next()?;
        word.ok_or_else(|| {
            let end = self.text.trim_end().len();
            self.error(end..end, format!("expected {expected}, found the end of the file"))
        })
    }

    fn expect(&mut self, word: &str) -> Result<(), ParseError> {
        let expected = format!("`{word}`");
        let found = self.some(&expected)?;
        if found.text == word { Ok(()) } else { Err(self.unexpected(&found, &expected)) }
    }

    fn number(&mut self, what: &str, limit: u64) -> Result<(u64, Range<usize>), ParseError> {
        let word = self.some(what)?;
        match parsed(word.text).filter(|n| *n <= limit) {
            Some(n) => Ok((n, word.span)),
            None => Err(self.unexpected(&word, &format!("{what}: at most {limit}"))),
        }
    }

    /// `name=number`.
    fn setting(&mut self, name: &str) -> Result<u64, ParseError> {
        self.expect(name)?;
        self.expect("=")?;
        Ok(self.number("a number of 64 bits", u64::MAX)?.0)
    }

    /// `tag`, `cpu` and `nic` with their numbers: the tag.
    fn attributes(&mut self) -> Result<i32, ParseError> {
        let mut tag = 0;
        loop {
            let before = self.at;
            match self.next()? {
                Some(word) if word.text == "tag" => {
                    let (n, _) = self.number("a tag", u64::from(i32::MAX.unsigned_abs()))?;
                    tag = i32::try_from(n).unwrap_or(i32::MAX);
                }
                Some(word) if ["cpu", "nic"].contains(&word.text) => {
                    self.number("a number", u64::MAX)?;
                }
                _ => {
                    self.at = before;
                    return Ok(tag);
                }
            }
        }
    }

    fn unexpected(&self, word: &Word, expected: &str) -> ParseError {
        self.error(word.span.clone(), format!("expected {expected}, found `{}`", word.text))
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> ParseError {
        ParseError::other(self.text, span, message)
    }
}

/// A number, decimal or hexadecimal with `0x`.
fn parsed(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
