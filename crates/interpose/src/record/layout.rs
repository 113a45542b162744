//! Where the data of a message lies, as the recorder needs it: the text that is recorded, the
//! bytes in the order of the type map, and the memory that they cover.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use commloom_layout::{Base, Type, mpi};
use commloom_plan::{Plan, Target};

use super::element::Element;
use crate::runtime::normal_form::normalize;
use crate::runtime::sync::lock;

/// Longest text of a layout that is recorded, in bytes: it stands in every block that needs it.
/// Longer ones are brought to normal form, and left out where that is longer still.
const TEXT: usize = 1 << 16;
/// Counts for which a layout keeps what was found out.
const COUNTS: usize = 64;
/// Places of a long message at which it is looked at where that is all that is wanted, and bytes
/// of each.
const PROBES: u64 = 8;
/// Where each of them is in its eighth of the message, in parts of 65536: irregular, since in a
/// face of a grid of cells the same row or column each time would be perhaps one that belongs to
/// other faces too.
const PARTS: [u64; 8] = [21_003, 50_867, 9311, 40_013, 30_671, 3517, 57_803, 15_227];
const PROBE: u64 = 64;
/// Bytes of what is found there at most.
pub(crate) const SKETCH: usize = 512;
/// Runs of a buffer beyond which it is not compared with overlapping ones of other layouts.
const RUNS: u64 = 1 << 16;

/// The layout of one element of a datatype.
pub(crate) struct Layout {
    /// In commloom's notation; empty where it would be too long.
    pub text: Arc<str>,
    ty: Type,
    contents: Mutex<Vec<Arc<Content>>>,
}

impl Layout {
    pub fn new(ty: Type) -> Layout {
        let mut text = ty.to_string();
        if text.len() > TEXT {
            text = normalize(&ty)
                .map(|normal| normal.to_string())
                .ok()
                .filter(|text| text.len() <= TEXT)
                .unwrap_or_default();
        }
        Layout { text: text.into(), ty, contents: Mutex::new(Vec::new()) }
    }

    /// The content of so many elements; `None` where they are past all addresses.
    pub fn content(self: &Arc<Self>, count: u64, target: &Target) -> Option<Arc<Content>> {
        if let Some(found) = lock(&self.contents).iter().find(|content| content.count == count) {
            return Some(found.clone());
        }
        let made = Arc::new(Content::new(self, count, target)?);
        let mut contents = lock(&self.contents);
        if contents.len() >= COUNTS {
            contents.clear();
        }
        contents.push(made.clone());
        Some(made)
    }
}

/// So many elements of a layout, relative to the address of a buffer.
pub(crate) struct Content {
    pub layout_text: Arc<str>,
    pub count: u64,
    /// Bytes of data.
    pub bytes: u64,
    /// Its basic type, if that can be added up.
    pub element: Option<Element>,
    way: Way,
    runs: OnceLock<Option<Vec<Run>>>,
    probes: OnceLock<Vec<Probe>>,
}

enum Way {
    /// One run that begins at this displacement.
    Contiguous(i64),
    Scattered(Plan, Type),
}

/// Consecutive bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// From the address of the buffer, in bytes.
    pub displacement: i64,
    /// In bytes.
    pub length: u64,
    /// Place among the bytes in the order of the type map.
    pub at: u64,
}

impl Content {
    fn new(layout: &Layout, count: u64, target: &Target) -> Option<Content> {
        let all = mpi::contiguous(count, &layout.ty).ok()?;
        let way = if all.runs() <= 1 {
            Way::Contiguous(all.first_byte())
        } else {
            let normal = normalize(&all).ok()?;
            Way::Scattered(Plan::packed(&normal, 1, target).ok()?, normal)
        };
        let element = match all.base() {
            Base::One(basic) => Element::of(basic),
            Base::Empty | Base::Mixed => None,
        };
        let layout_text = layout.text.clone();
        Some(Content {
            layout_text,
            count,
            bytes: all.size(),
            element,
            way,
            runs: OnceLock::new(),
            probes: OnceLock::new(),
        })
    }

    /// The memory between its first and last byte, from the address of the buffer.
    pub fn bounds(&self) -> Range<i64> {
        match &self.way {
            Way::Contiguous(start) => {
                *start..start.saturating_add(i64::try_from(self.bytes).unwrap_or(i64::MAX))
            }
            Way::Scattered(plan, _) => plan.bounds(),
        }
    }

    /// Its runs by displacement; `None` where they are too many, or touch.
    pub fn runs(&self) -> Option<&[Run]> {
        let find = || match &self.way {
            Way::Contiguous(start) => {
                Some(vec![Run { displacement: *start, length: self.bytes, at: 0 }])
            }
            Way::Scattered(_, ty) => (ty.runs() <= RUNS).then(|| sorted_runs(ty)).flatten(),
        };
        self.runs.get_or_init(find).as_deref()
    }

    /// Some places all over it, in the order of the type map: the same ones for all layouts of one
    /// length, as far as their runs go.
    pub fn probes(&self) -> &[Probe] {
        self.probes.get_or_init(|| {
            let one = |start: &i64| Run { displacement: *start, length: self.bytes, at: 0 };
            match &self.way {
                Way::Contiguous(start) => probes(self.bytes, std::iter::once(one(start))),
                Way::Scattered(_, ty) => {
                    let mut at = 0;
                    let runs = ty.byte_runs().map(|run| {
                        let here = Run { displacement: run.displacement, length: run.length, at };
                        at += run.length;
                        here
                    });
                    probes(self.bytes, runs)
                }
            }
        })
    }
}

/// Some consecutive bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Probe {
    pub displacement: i64,
    pub length: usize,
    /// Place among the bytes in the order of the type map.
    pub at: u64,
    /// Place in a sketch.
    pub place: usize,
}

impl Probe {
    /// Its bytes in the order of the type map.
    pub fn range(&self) -> Range<u64> {
        self.at..self.at.saturating_add(u64::try_from(self.length).unwrap_or(u64::MAX))
    }
}

/// Linear in the runs, which come in the order of the type map.
fn probes(bytes: u64, runs: impl Iterator<Item = Run>) -> Vec<Probe> {
    // Numbers do not begin within others.
    let step = bytes / PROBES / 16 * 16;
    let at = |(nth, part): (u64, u64)| step * nth + ((step / 16 * part) >> 12) / 8 * 8;
    let mut wanted = (0..).zip(PARTS).map(at).peekable();
    let mut probes = Vec::new();
    let mut place = 0;
    for run in runs {
        while let Some(at) = wanted.next_if(|at| (run.at..run.at + run.length).contains(at)) {
            let inside = at - run.at;
            let displacement = run.displacement.saturating_add_unsigned(inside);
            let length = usize::try_from((run.length - inside).min(PROBE)).unwrap_or(0);
            probes.push(Probe { displacement, length, at, place });
            place += length;
        }
        if wanted.peek().is_none() {
            break;
        }
    }
    probes
}

/// `None` where two of them overlap.
fn sorted_runs(ty: &Type) -> Option<Vec<Run>> {
    let mut at = 0;
    let mut runs: Vec<Run> = ty
        .byte_runs()
        .map(|run| {
            let here = Run { displacement: run.displacement, length: run.length, at };
            at += run.length;
            here
        })
        .collect();
    runs.sort_unstable_by_key(|run| run.displacement);
    let apart = |pair: &[Run]| {
        pair[0].displacement.checked_add_unsigned(pair[0].length) <= Some(pair[1].displacement)
    };
    runs.windows(2).all(apart).then_some(runs)
}

/// Memory of the program that a message comes from or goes to.
#[derive(Clone)]
pub(crate) struct Data {
    /// Where the buffer is.
    pub address: usize,
    pub content: Arc<Content>,
    /// Memory of a GPU, which is not looked at.
    pub is_hidden: bool,
}

/// Buffers that begin below this address are not buffers, see `message.rs`.
const LOWEST_ADDRESS: u64 = 65_536;

impl Data {
    pub fn new(buffer: *const c_void, content: Arc<Content>) -> Data {
        Data { address: buffer.addr(), content, is_hidden: false }
    }

    /// The memory between its first and last byte; `None` where that cannot be a buffer.
    pub fn bounds(&self) -> Option<Range<u64>> {
        let base = u64::try_from(self.address).ok()?;
        let Range { start, end } = self.content.bounds();
        let range = base.checked_add_signed(start)?..base.checked_add_signed(end)?;
        (range.start >= LOWEST_ADDRESS).then_some(range)
    }

    /// Where it begins, if its bytes lie side by side.
    pub fn only_run(&self) -> Option<u64> {
        let Way::Contiguous(_) = self.content.way else { return None };
        self.bounds().map(|bounds| bounds.start)
    }

    /// The same elsewhere: with its first byte there, if its bytes lie side by side.
    pub fn moved(&self, to: u64) -> Option<Data> {
        let Way::Contiguous(displacement) = self.content.way else { return None };
        let address = usize::try_from(to.checked_add_signed(displacement.checked_neg()?)?).ok()?;
        Some(Data { address, content: self.content.clone(), is_hidden: self.is_hidden })
    }

    /// The buffer as it is recorded.
    pub fn buffer(&self) -> commloom_trace::Buffer {
        commloom_trace::Buffer {
            address: u64::try_from(self.address).unwrap_or(u64::MAX),
            count: self.content.count,
            layout: self.content.layout_text.clone(),
            bytes: self.content.bytes,
        }
    }

    /// A number that two buffers with the same address and content have in common.
    pub fn key(&self) -> (usize, usize) {
        (self.address, Arc::as_ptr(&self.content).addr())
    }

    /// The bytes `range` in the order of the type map, where they lie side by side.
    ///
    /// # Safety
    /// The elements that the range touches may be read, and nobody writes them meanwhile.
    pub unsafe fn slice(&self, range: Range<u64>) -> Option<&[u8]> {
        let Way::Contiguous(start) = self.content.way else { return None };
        if range.end > self.content.bytes || range.start >= range.end {
            return Some(&[]);
        }
        let start = start.checked_add_unsigned(range.start)?;
        let first = std::ptr::with_exposed_provenance::<u8>(self.address)
            .wrapping_offset(isize::try_from(start).ok()?);
        let length = usize::try_from(range.end - range.start).ok()?;
        // SAFETY: the caller's promise.
        Some(unsafe { std::slice::from_raw_parts(first, length) })
    }

    /// Whether all that lies at a probe of another buffer is here too. Logarithmic in the runs.
    pub fn covers(&self, other: &Data, probe: &Probe) -> bool {
        if self.key() == other.key() {
            return true;
        }
        let base = |data: &Data| i128::try_from(data.address).unwrap_or(i128::MAX);
        let length = i128::try_from(probe.length).unwrap_or(i128::MAX);
        let start = base(other) + i128::from(probe.displacement) - base(self);
        let Some(runs) = self.content.runs() else { return false };
        let after = runs.partition_point(|run| i128::from(run.displacement) <= start);
        after.checked_sub(1).and_then(|before| runs.get(before)).is_some_and(|run| {
            start + length <= i128::from(run.displacement) + i128::from(run.length)
        })
    }

    /// The bytes at a probe.
    ///
    /// # Safety
    /// The bytes may be read, and nobody writes them meanwhile.
    pub unsafe fn at(&self, probe: &Probe) -> &[u8] {
        let Ok(displacement) = isize::try_from(probe.displacement) else { return &[] };
        let first =
            std::ptr::with_exposed_provenance::<u8>(self.address).wrapping_offset(displacement);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(first, probe.length) }
    }

    /// Copies the bytes at the [`probes`](Content::probes) of the first `bytes` bytes, one after
    /// the other.
    ///
    /// # Safety
    /// The bytes may be read, and nobody writes them meanwhile.
    pub unsafe fn sketch(&self, bytes: u64, out: &mut Vec<u8>) {
        out.clear();
        for probe in self.content.probes().iter().take_while(|p| p.range().end <= bytes) {
            // SAFETY: a part of a run of the layout.
            out.extend_from_slice(unsafe { self.at(probe) });
        }
    }

    /// Puts the bytes `range` in the order of the type map into `out`, which has room for just
    /// them.
    ///
    /// # Safety
    /// The elements that the range touches may be read.
    pub unsafe fn copy(&self, range: Range<u64>, out: &mut [u8]) {
        // SAFETY: the elements that the range touches can be read.
        unsafe {
            match &self.content.way {
                Way::Contiguous(_) => {
                    if let Some(bytes) = self.slice(range).filter(|b| b.len() == out.len()) {
                        out.copy_from_slice(bytes);
                    }
                }
                Way::Scattered(plan, _) => {
                    let range = range.start..range.end.min(plan.bytes());
                    let length = range.end.saturating_sub(range.start);
                    if usize::try_from(length) == Ok(out.len()) && length > 0 {
                        let memory = std::ptr::with_exposed_provenance::<u8>(self.address);
                        commloom_pack::pack_raw(plan, memory, out.as_mut_ptr(), range);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::Basic;

    fn content(text: &str, count: u64) -> Arc<Content> {
        let ty: Type = text.parse().expect("a type");
        let target = commloom_pack::detect();
        Arc::new(Layout::new(ty)).content(count, &target).expect("small")
    }

    #[test]
    fn bytes_come_in_the_order_of_the_type_map() {
        let memory: Vec<u8> = (0..64).collect();
        let content = content("idx(<12, 0>, leaf(MPI_INT))", 2);
        assert_eq!(
            (content.bytes, content.element),
            (16, Element::of(Basic::by_name("MPI_INT").unwrap()))
        );
        let data = Data::new(memory.as_ptr().cast(), content);
        std::hint::black_box(memory.as_ptr().expose_provenance());
        let mut out = [0; 8];
        // SAFETY: two elements of 16 bytes lie in the memory.
        unsafe { data.copy(2..10, &mut out) };
        assert_eq!(out, [14, 15, 0, 1, 2, 3, 28, 29]);
        let base = u64::try_from(data.address).unwrap();
        assert_eq!(data.bounds(), Some(base..base + 32));
        let at: Vec<(i64, u64)> =
            data.content.runs().unwrap().iter().map(|run| (run.displacement, run.at)).collect();
        assert_eq!(at, [(0, 4), (12, 0), (16, 12), (28, 8)]);
    }

    #[test]
    fn places_are_all_over_a_message_and_the_same_in_all_layouts() {
        let columns = content("vec(2048, 32, leaf(MPI_DOUBLE))", 1);
        let found: Vec<(i64, u64, usize)> =
            columns.probes().iter().map(|p| (p.displacement, p.at, p.length)).collect();
        let places = [656, 3632, 4384, 7392, 9144, 10_344, 14_088, 14_808];
        let expected = places.map(|at: u64| (4 * at.cast_signed(), at, 8));
        assert_eq!(found, expected);
        let plain = content("leaf(MPI_DOUBLE)", 2048);
        let memory: Vec<f64> = (0..2048).map(f64::from).collect();
        let data = Data::new(memory.as_ptr().cast(), plain.clone());
        std::hint::black_box(memory.as_ptr().expose_provenance());
        let mut sketch = Vec::new();
        // SAFETY: the memory has 2048 numbers.
        unsafe { data.sketch(4096, &mut sketch) };
        assert_eq!(sketch.len(), 128, "of a part of it: the first two");
        for (nth, probe) in plain.probes().iter().enumerate() {
            assert_eq!((probe.at, probe.length), (columns.probes()[nth].at, 64));
            let Some(bytes) = sketch.get(probe.place..probe.place + 8) else { continue };
            assert_eq!(bytes, memory[usize::try_from(places[nth]).unwrap() / 8].to_ne_bytes());
        }
    }

    #[test]
    fn what_lies_at_low_addresses_is_no_buffer() {
        let data = Data::new(std::ptr::null(), content("leaf(MPI_INT)", 4));
        assert_eq!(data.bounds(), None);
    }
}
