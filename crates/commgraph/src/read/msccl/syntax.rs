//! The elements of an MSCCL file, each with its place. `<algo><gpu><tb><step/></tb></gpu></algo>`,
//! read in one pass without recursion: other elements are refused, so that nothing nests deeper.

use std::collections::HashSet;
use std::ops::Range;

use commloom_layout::text::ParseError;
use quick_xml::Reader;
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::{BytesStart, Event};

use super::coll::Coll;
use crate::read::MAX_RANKS;

/// Chunks of a buffer, steps and thread blocks are numbered below this.
const MAX_NUMBER: u64 = 1 << 31;

/// One of the three buffers of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// The chunks that the GPU gives: `i`.
    Input,
    /// The chunks that it gets: `o`.
    Output,
    /// Memory that nobody looks at afterwards: `s`.
    Scratch,
}

/// The action of a step, with MSCCL's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `s`: send the source.
    Send,
    /// `r`: receive into the destination.
    Receive,
    /// `rcs`: receive into the destination, and send it on.
    ReceiveCopySend,
    /// `rrs`: send on the source reduced with what is received, and keep nothing.
    ReceiveReduceSend,
    /// `rrc`: the destination becomes the source reduced with what is received.
    ReceiveReduceCopy,
    /// `rrcs`: the same, and send it on.
    ReceiveReduceCopySend,
    /// `cpy`: the destination becomes the source.
    Copy,
    /// `re`: the destination is reduced with the source.
    Reduce,
    /// `nop`: only wait.
    Nothing,
}

const KINDS: [(&str, Kind); 9] = [
    ("s", Kind::Send),
    ("r", Kind::Receive),
    ("rcs", Kind::ReceiveCopySend),
    ("rrs", Kind::ReceiveReduceSend),
    ("rrc", Kind::ReceiveReduceCopy),
    ("rrcs", Kind::ReceiveReduceCopySend),
    ("cpy", Kind::Copy),
    ("re", Kind::Reduce),
    ("nop", Kind::Nothing),
];

impl Kind {
    pub(super) fn sends(self) -> bool {
        use Kind::{ReceiveCopySend, ReceiveReduceCopySend, ReceiveReduceSend, Send};
        matches!(self, Send | ReceiveCopySend | ReceiveReduceSend | ReceiveReduceCopySend)
    }

    pub(super) fn receives(self) -> bool {
        !matches!(self, Kind::Send | Kind::Copy | Kind::Reduce | Kind::Nothing)
    }

    pub(super) fn reads_source(self) -> bool {
        !matches!(self, Kind::Receive | Kind::ReceiveCopySend | Kind::Nothing)
    }

    pub(super) fn writes(self) -> bool {
        !matches!(self, Kind::Send | Kind::ReceiveReduceSend | Kind::Nothing)
    }

    pub(super) fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// `<step>`.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub span: Range<usize>,
    pub kind: Kind,
    /// Where it reads; the offset in chunks.
    pub source: (Buffer, u64),
    /// Where it writes.
    pub destination: (Buffer, u64),
    /// In chunks.
    pub count: u64,
    /// The step that it waits for: thread block and number.
    pub on: Option<(u64, u64)>,
    /// Whether it tells others that it is done; `None` where the file does not say.
    pub signals: Option<bool>,
}

/// `<tb>`: steps that follow each other.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub span: Range<usize>,
    pub id: u64,
    pub send: Option<u32>,
    pub receive: Option<u32>,
    pub channel: u32,
    pub steps: Vec<Step>,
}

/// `<gpu>`. Sizes in chunks.
#[derive(Debug, Clone)]
pub(super) struct Gpu {
    pub span: Range<usize>,
    pub id: u32,
    pub input: u64,
    pub output: u64,
    pub scratch: u64,
    pub blocks: Vec<Block>,
}

/// `<algo>`.
#[derive(Debug, Clone)]
pub(super) struct Algo {
    pub name: String,
    pub coll: Coll,
    /// Where `coll` stands.
    pub coll_span: Range<usize>,
    /// MSCCL names none; files of others may.
    pub root: Option<u32>,
    pub gpus: u32,
    /// `nchunksperloop`: chunks of the larger of input and output.
    pub chunks: u64,
    pub in_place: bool,
    /// By id; each is there once.
    pub list: Vec<Gpu>,
}

/// Reads a file.
pub(super) fn read(text: &str) -> Result<Algo, ParseError> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut algo: Option<Algo> = None;
    let mut gpu: Option<Gpu> = None;
    let mut block: Option<Block> = None;
    // The elements that are open, the innermost last: at most four.
    let mut open: Vec<&'static str> = Vec::new();
    loop {
        let start = place(reader.buffer_position());
        let event = reader.read_event().map_err(|e| malformed(text, &reader, start, &e))?;
        let span = start..place(reader.buffer_position());
        match event {
            Event::Start(tag) => {
                let tag = Tag::of(text, span, &tag)?;
                let name = nested(&tag, open.last().copied(), algo.is_some())?;
                open.push(name);
                match name {
                    "algo" => algo = Some(tag.algo()?),
                    "gpu" => gpu = Some(tag.gpu(algo.as_ref().map_or(0, |a| a.gpus))?),
                    "tb" => block = Some(tag.block(algo.as_ref().map_or(0, |a| a.gpus))?),
                    _ => {
                        if let Some(block) = &mut block {
                            let step = tag.step(block)?;
                            block.steps.push(step);
                        }
                    }
                }
            }
            Event::End(_) => match open.pop() {
                Some("tb") => {
                    if let (Some(gpu), Some(block)) = (&mut gpu, block.take()) {
                        gpu.blocks.push(block);
                    }
                }
                Some("gpu") => {
                    if let (Some(algo), Some(gpu)) = (&mut algo, gpu.take()) {
                        algo.list.push(gpu);
                    }
                }
                _ => {}
            },
            Event::Text(words) if words.trim().is_empty() => {}
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                return Err(ParseError::other(
                    text,
                    span,
                    "there must be no text between the elements",
                ));
            }
            Event::Eof => break,
            Event::Empty(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
    let end = text.trim_end().len();
    if let Some(last) = open.last() {
        let message = format!("expected `</{last}>`, found the end of the file");
        return Err(ParseError::other(text, end..end, message));
    }
    let Some(mut algo) = algo else {
        return Err(ParseError::other(text, end..end, "there is no element `algo`"));
    };
    all_there(text, &mut algo)?;
    Ok(algo)
}

/// Sorts the GPUs, and finds out whether each is there once.
fn all_there(text: &str, algo: &mut Algo) -> Result<(), ParseError> {
    algo.list.sort_by_key(|gpu| gpu.id);
    for (expected, gpu) in (0..).zip(&algo.list) {
        if gpu.id < expected {
            let message = format!("GPU {} is there already", gpu.id);
            return Err(ParseError::other(text, gpu.span.clone(), message));
        }
        if gpu.id > expected {
            return Err(missing(text, algo, expected));
        }
    }
    let known = algo.list.len();
    match u32::try_from(known).unwrap_or(u32::MAX) {
        found if found < algo.gpus => Err(missing(text, algo, found)),
        _ => Ok(()),
    }
}

fn missing(text: &str, algo: &Algo, id: u32) -> ParseError {
    let message =
        format!("the algorithm is for {} GPUs, but there is no `gpu` with id={id}", algo.gpus);
    ParseError::other(text, algo.coll_span.clone(), message)
}

/// The element that a tag opens, if it may stand here.
fn nested(
    tag: &Tag,
    outer: Option<&'static str>,
    has_algo: bool,
) -> Result<&'static str, ParseError> {
    let (allowed, where_) = match outer {
        None => ("algo", "at the start"),
        Some("algo") => ("gpu", "in `algo`"),
        Some("gpu") => ("tb", "in `gpu`"),
        Some("tb") => ("step", "in `tb`"),
        Some(_) => return Err(tag.error("a `step` holds no other elements")),
    };
    if outer.is_none() && has_algo {
        return Err(tag.error("a file has one algorithm"));
    }
    match tag.name == allowed {
        true => Ok(allowed),
        false => Err(tag.error(format!("expected `<{allowed}` {where_}, found `<{}`", tag.name))),
    }
}

fn malformed(text: &str, reader: &Reader<&[u8]>, start: usize, error: &Error) -> ParseError {
    let at = place(reader.error_position()).max(start).min(text.len());
    let message = match error {
        Error::Syntax(SyntaxError::UnclosedTag) => "this tag has no end `>`".to_owned(),
        error => format!("this is no XML: {error}"),
    };
    ParseError::other(text, at..at + 1, message)
}

fn place(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// A tag and its attributes, borrowed from the text.
struct Tag<'a> {
    text: &'a str,
    span: Range<usize>,
    name: &'a str,
    /// Name, value, and where the value stands.
    attributes: Vec<(&'a str, &'a str, Range<usize>)>,
}

impl<'a> Tag<'a> {
    fn of(text: &'a str, span: Range<usize>, tag: &BytesStart) -> Result<Tag<'a>, ParseError> {
        // Names and values are parts of the text; the event itself lives shorter.
        let base = span.start + 1;
        let inside = text.get(base..span.end).unwrap_or_default();
        let inside = &inside[..tag.len().min(inside.len())];
        let name = &inside[..tag.name().as_ref().len().min(inside.len())];
        // Enough to point at.
        let span = span.start..base + name.len();
        let mut attributes = Vec::new();
        let mut seen = HashSet::new();
        let within = |part: &str| part.as_ptr().addr().checked_sub(tag.as_ptr().addr());
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| {
                ParseError::other(text, span.clone(), format!("a wrong attribute: {e}"))
            })?;
            let key = attribute.key.as_ref();
            let (Some(k), Some(v)) = (within(key), within(&attribute.value)) else { continue };
            let value = v..v + attribute.value.len();
            let (Some(key), Some(words)) =
                (inside.get(k..k + key.len()), inside.get(value.clone()))
            else {
                continue;
            };
            if !seen.insert(key) {
                let at = base + k..base + k + key.len();
                return Err(ParseError::other(text, at, format!("`{key}` is there twice")));
            }
            attributes.push((key, words, base + value.start..base + value.end));
        }
        Ok(Tag { text, span, name, attributes })
    }

    fn algo(&self) -> Result<Algo, ParseError> {
        let (gpus, span) = self.number("ngpus", 0..=i64::from(MAX_RANKS))?;
        let gpus = u32::try_from(gpus).unwrap_or(MAX_RANKS);
        if gpus == 0 {
            return Err(self.at(span, "an algorithm needs a GPU"));
        }
        let (coll, coll_span) = self.words("coll")?;
        let coll = Coll::by_name(coll).ok_or_else(|| {
            self.at(
                coll_span.clone(),
                format!("no collective is called `{coll}`, expected {}", Coll::names()),
            )
        })?;
        let root = match self.find("root") {
            Some(_) => Some(self.number("root", 0..=i64::from(gpus) - 1)?.0),
            None => None,
        };
        Ok(Algo {
            name: self.find("name").map_or_else(String::new, |(name, _)| name.to_owned()),
            coll,
            coll_span,
            root: root.and_then(|root| u32::try_from(root).ok()),
            gpus,
            chunks: self.count("nchunksperloop")?,
            in_place: self.find("inplace").is_some() && self.number("inplace", 0..=1)?.0 == 1,
            list: Vec::new(),
        })
    }

    fn gpu(&self, gpus: u32) -> Result<Gpu, ParseError> {
        Ok(Gpu {
            span: self.span.clone(),
            id: self.peer("id", 0, gpus)?.unwrap_or(0),
            input: self.count("i_chunks")?,
            output: self.count("o_chunks")?,
            scratch: self.count("s_chunks")?,
            blocks: Vec::new(),
        })
    }

    fn block(&self, gpus: u32) -> Result<Block, ParseError> {
        let channel = self.number("chan", -1..=i64::from(i32::MAX))?.0;
        Ok(Block {
            span: self.span.clone(),
            id: self.count("id")?,
            send: self.peer("send", -1, gpus)?,
            receive: self.peer("recv", -1, gpus)?,
            channel: u32::try_from(channel).unwrap_or(0),
            steps: Vec::new(),
        })
    }

    fn step(&self, block: &Block) -> Result<Step, ParseError> {
        let (number, span) = self.number("s", 0..=limit())?;
        let expected = block.steps.len();
        if usize::try_from(number).ok() != Some(expected) {
            return Err(
                self.at(span, format!("expected step {expected}: steps are numbered from 0 on"))
            );
        }
        let (kind, span) = self.words("type")?;
        let kind = KINDS.iter().find(|(name, _)| *name == kind).map(|(_, kind)| *kind).ok_or_else(
            || {
                let known = KINDS.map(|(name, _)| name).join(", ");
                self.at(span, format!("no step is called `{kind}`, expected one of {known}"))
            },
        )?;
        let (peer, name) = match (block.send, block.receive) {
            (None, _) if kind.sends() => (true, "send"),
            (_, None) if kind.receives() => (true, "recv"),
            _ => (false, ""),
        };
        if peer {
            let message =
                format!("a step `{}` needs a peer, but its `tb` has {name}=-1", kind.name());
            return Err(self.error(message));
        }
        Ok(Step {
            span: self.span.clone(),
            kind,
            source: self.chunk("srcbuf", "srcoff", kind.reads_source())?,
            destination: self.chunk("dstbuf", "dstoff", kind.writes())?,
            count: if kind == Kind::Nothing { 0 } else { self.count("cnt")? },
            on: self.dependency()?,
            signals: match self.find("hasdep") {
                Some(_) => Some(self.number("hasdep", 0..=1)?.0 == 1),
                None => None,
            },
        })
    }

    /// A place in a buffer. It may be anything where it is not used.
    fn chunk(&self, buffer: &str, offset: &str, used: bool) -> Result<(Buffer, u64), ParseError> {
        if !used {
            return Ok((Buffer::Scratch, 0));
        }
        let (name, span) = self.words(buffer)?;
        let kind = match name {
            "i" => Buffer::Input,
            "o" => Buffer::Output,
            "s" => Buffer::Scratch,
            _ => {
                return Err(
                    self.at(span, format!("no buffer is called `{name}`, expected i, o or s"))
                );
            }
        };
        Ok((kind, self.count(offset)?))
    }

    fn dependency(&self) -> Result<Option<(u64, u64)>, ParseError> {
        if self.find("depid").is_none() && self.find("deps").is_none() {
            return Ok(None);
        }
        let block = self.number("depid", -1..=limit())?.0;
        let step = self.number("deps", -1..=limit())?.0;
        Ok(u64::try_from(block).ok().zip(u64::try_from(step).ok()))
    }

    fn find(&self, name: &str) -> Option<(&'a str, Range<usize>)> {
        let found = self.attributes.iter().find(|(key, _, _)| *key == name);
        found.map(|(_, value, span)| (*value, span.clone()))
    }

    fn words(&self, name: &str) -> Result<(&'a str, Range<usize>), ParseError> {
        let name_of = |what: &str| format!("`{what}` needs an attribute `{name}`");
        self.find(name).ok_or_else(|| self.error(name_of(self.name)))
    }

    fn number(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<(i64, Range<usize>), ParseError> {
        let (words, span) = self.words(name)?;
        match words.parse::<i64>().ok().filter(|n| range.contains(n)) {
            Some(number) => Ok((number, span)),
            None => {
                let (low, high) = (range.start(), range.end());
                let message =
                    format!("expected a number from {low} to {high} for `{name}`, found `{words}`");
                Err(self.at(span, message))
            }
        }
    }

    fn count(&self, name: &str) -> Result<u64, ParseError> {
        Ok(u64::try_from(self.number(name, 0..=limit())?.0).unwrap_or(0))
    }

    /// A GPU by its number; none for -1.
    fn peer(&self, name: &str, least: i64, gpus: u32) -> Result<Option<u32>, ParseError> {
        let (number, _) = self.number(name, least..=i64::from(gpus) - 1)?;
        Ok(u32::try_from(number).ok())
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        self.at(self.span.clone(), message)
    }

    fn at(&self, span: Range<usize>, message: impl Into<String>) -> ParseError {
        ParseError::other(self.text, span, message)
    }
}

fn limit() -> i64 {
    i64::try_from(MAX_NUMBER - 1).unwrap_or(i64::MAX)
}
