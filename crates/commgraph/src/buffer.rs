//! Where the bytes of an operation are: one range of addresses, or a layout.
//!
//! A layout is kept as rows: pieces of one length at regular distances, in packed order. A vector
//! type of any count is one row, so that processes with layouts of their own do not take memory
//! for each piece.

use commloom_layout::Type;

use crate::error::{BuildError, limit};
use crate::ids::{Address, Bytes};

/// The memory of one side of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// So many bytes from an address on.
    Range(Address, Bytes),
    /// Elements of a type, one extent apart (MPI 4.1, section 3.2.2). Their bytes are those of a
    /// message in the order of the type map.
    Typed {
        /// Where displacement 0 of the first element is.
        at: Address,
        /// How many elements.
        count: u64,
        /// The type of an element.
        ty: Type,
    },
}

impl From<(Address, Bytes)> for Buffer {
    fn from((at, length): (Address, Bytes)) -> Buffer {
        Buffer::Range(at, length)
    }
}

/// Pieces of a layout beyond which it is turned away: nobody can follow them one by one.
pub const MAX_PIECES: u64 = 1 << 20;

/// Rows of all layouts of a graph beyond which no more are taken: a gigabyte.
pub(crate) const MAX_ROWS: u64 = 1 << 24;

/// Pieces of one length at regular distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    /// Where the first piece is in the message, and how far the next is from it (modulo 2^64).
    offset: u64,
    offset_step: u64,
    /// Where the first piece is in memory, from the origin of the layout, and how far the next is
    /// from it.
    displacement: i64,
    stride: i64,
    length: u64,
    count: u64,
}

impl Row {
    fn piece(&self, k: u64) -> Piece {
        // Modulo 2^64 the results are exact: they fit, the type says so.
        Piece {
            displacement: self.displacement.wrapping_add(self.stride.wrapping_mul(k.cast_signed())),
            offset: self.offset.wrapping_add(self.offset_step.wrapping_mul(k)),
            length: self.length,
        }
    }

    fn pieces(&self) -> impl Iterator<Item = Piece> + use<> {
        let row = *self;
        (0..row.count).map(move |k| row.piece(k))
    }

    /// The same pieces with ascending addresses.
    fn ascending(self) -> Row {
        if self.stride >= 0 {
            return self;
        }
        let Piece { displacement, offset, .. } = self.piece(self.count - 1);
        Row {
            offset,
            offset_step: self.offset_step.wrapping_neg(),
            displacement,
            stride: self.stride.wrapping_neg(),
            ..self
        }
    }

    fn end(&self) -> i64 {
        let last = self.piece(self.count - 1);
        last.displacement.saturating_add_unsigned(last.length)
    }

    /// Whether its own pieces are apart, addresses ascending.
    fn is_disjoint(&self) -> bool {
        self.count == 1 || self.length <= self.stride.unsigned_abs()
    }
}

/// Bytes of a layout that follow each other in memory and in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where it is, in bytes from the origin of the layout.
    pub displacement: i64,
    /// Where it is in the packed message, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u64,
}

/// The form of a typed buffer, wherever it is.
#[derive(Debug, Clone)]
pub struct Layout {
    ty: Type,
    count: u64,
    rows: Vec<Row>,
    /// The rows by address, where that is another order.
    by_address: Option<Vec<Row>>,
    /// Whether no two pieces overlap.
    disjoint: bool,
}

impl Layout {
    /// The layout of `count` elements of a type; `whole` is the type of all of them.
    pub(crate) fn of(ty: Type, count: u64, whole: &Type) -> Result<Layout, BuildError> {
        limit("pieces of a layout", whole.runs(), MAX_PIECES)?;
        let mut rows: Vec<Row> = Vec::new();
        let mut offset = 0;
        for run in whole.byte_runs() {
            let (displacement, length) = (run.displacement, run.length);
            push(&mut rows, displacement, length, offset);
            offset += length;
        }
        let mut layout = Layout { ty, count, rows, by_address: None, disjoint: true };
        let mut sorted: Vec<Row> = layout.rows.iter().map(|row| row.ascending()).collect();
        sorted.sort_by_key(|row| row.displacement);
        let apart = |rows: &[Row]| {
            rows.iter().all(Row::is_disjoint)
                && rows.windows(2).all(|w| w[0].end() <= w[1].displacement)
        };
        layout.disjoint = apart(&sorted);
        if !layout.disjoint {
            // Rows between the pieces of others: piece by piece.
            let mut pieces: Vec<Piece> = layout.pieces().collect();
            pieces.sort_unstable_by_key(|p| (p.displacement, p.offset));
            sorted.clear();
            for p in pieces {
                push(&mut sorted, p.displacement, p.length, p.offset);
            }
            layout.disjoint = apart(&sorted);
        }
        if sorted != layout.rows {
            layout.by_address = Some(sorted);
        }
        Ok(layout)
    }

    /// The type of an element.
    #[must_use]
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// How many elements there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The pieces, in the order of the message.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        self.rows.iter().flat_map(Row::pieces)
    }

    /// The pieces, by address.
    fn by_address(&self) -> impl Iterator<Item = Piece> + '_ {
        self.by_address.as_ref().unwrap_or(&self.rows).iter().flat_map(Row::pieces)
    }

    /// Whether no byte is there twice.
    #[must_use]
    pub fn is_disjoint(&self) -> bool {
        self.disjoint
    }

    /// How many rows its pieces are.
    pub(crate) fn rows(&self) -> u64 {
        crate::number::count(self.rows.len())
    }

    /// Bytes of memory that it takes, besides its type.
    pub(crate) fn memory(&self) -> usize {
        let sorted = self.by_address.as_ref().map_or(0, |rows| size_of_val(&**rows));
        size_of::<Layout>() + size_of_val(&*self.rows) + sorted
    }
}

/// Adds a piece: as one more of the last row, where it is.
fn push(rows: &mut Vec<Row>, displacement: i64, length: u64, offset: u64) {
    if let Some(row) = rows.last_mut().filter(|row| row.length == length) {
        let last = row.piece(row.count - 1);
        let stride = displacement.wrapping_sub(last.displacement);
        let offset_step = offset.wrapping_sub(last.offset);
        if row.count == 1 {
            (row.stride, row.offset_step) = (stride, offset_step);
        }
        if (row.stride, row.offset_step) == (stride, offset_step) {
            row.count += 1;
            return;
        }
    }
    rows.push(Row { offset, offset_step: 0, displacement, stride: 0, length, count: 1 });
}

/// Some bytes in the memory of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: u64,
    pub end: u64,
    /// Where they are in the message.
    pub offset: u64,
}

/// The memory that an operation reads or writes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Footprint<'a> {
    Range {
        start: u64,
        end: u64,
    },
    /// The first `length` bytes of a message with this layout.
    Typed {
        at: u64,
        length: u64,
        layout: &'a Layout,
    },
}

impl Footprint<'_> {
    pub(crate) const NOWHERE: Footprint<'static> = Footprint::Range { start: 0, end: 0 };

    /// The first bytes of the message.
    pub(crate) fn shortened(self, n: u64) -> Self {
        match self {
            Footprint::Range { start, end } => Footprint::Range { start, end: end.min(start + n) },
            Footprint::Typed { at, length, layout } => {
                Footprint::Typed { at, length: length.min(n), layout }
            }
        }
    }

    /// Its bytes, in the order of the message.
    pub(crate) fn packed(self, mut each: impl FnMut(Span)) {
        match self {
            Footprint::Range { start, end } => each(Span { start, end, offset: 0 }),
            Footprint::Typed { at, length, layout } => {
                let pieces = layout.pieces().take_while(|piece| piece.offset < length);
                pieces.for_each(|piece| each(span(at, length, piece)));
            }
        }
    }

    /// Its bytes, by address.
    pub(crate) fn ascending(self, mut each: impl FnMut(Span)) {
        match self {
            Footprint::Range { start, end } => each(Span { start, end, offset: 0 }),
            Footprint::Typed { at, length, layout } => {
                let pieces = layout.by_address().filter(|piece| piece.offset < length);
                pieces.for_each(|piece| each(span(at, length, piece)));
            }
        }
    }

    /// Whether two places share a byte. Linear in their pieces.
    pub(crate) fn overlaps(self, other: Footprint) -> bool {
        let ranges = |place: Footprint| {
            let mut all = Vec::new();
            place.ascending(|s| all.push((s.start, s.end)));
            all.retain(|(start, end)| start < end);
            all
        };
        let (a, b) = (ranges(self), ranges(other));
        let (mut a, mut b) = (&a[..], &b[..]);
        while let (Some(x), Some(y)) = (a.first(), b.first()) {
            if x.0 < y.1 && y.0 < x.1 {
                return true;
            }
            if x.1 <= y.1 {
                a = &a[1..];
            } else {
                b = &b[1..];
            }
        }
        false
    }
}

fn span(at: u64, length: u64, piece: Piece) -> Span {
    let start = at.wrapping_add_signed(piece.displacement);
    let end = start + piece.length.min(length - piece.offset);
    Span { start, end, offset: piece.offset }
}
