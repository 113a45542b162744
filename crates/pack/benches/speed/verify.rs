//! Whether everybody moves the same bytes. What is right, the C loop with its sizes as arguments
//! says: it was compiled from three lines of C and knows nothing of plans and datatypes.

use crate::buffers::{Buffers, Region};
use crate::contender::Call;
use crate::hand::Hand;
use crate::layouts::Case;

/// Gaps are looked at in all of the memory up to this footprint, in bytes.
const MOST_CHECKED: usize = 64 << 20;

/// The oracle of one case.
pub struct Oracle<'a> {
    case: &'a Case,
    sizes: &'a [i64],
    pack: Hand,
    unpack: Hand,
    /// The packed bytes of the pattern.
    image: Vec<u8>,
    /// The bytes to unpack: different in every byte.
    stream: Vec<u8>,
    scratch: Vec<u8>,
}

impl<'a> Oracle<'a> {
    /// The memory must hold the pattern.
    pub fn new(case: &'a Case, sizes: &'a [i64], hands: [Hand; 2], buffers: Buffers) -> Oracle<'a> {
        let [pack, unpack] = hands;
        let scratch = vec![0; case.bytes];
        let mut oracle = Oracle {
            case,
            sizes,
            pack,
            unpack,
            image: scratch.clone(),
            stream: Vec::new(),
            scratch,
        };
        let image = oracle.image.as_mut_ptr();
        oracle.run(oracle.pack, buffers.memory, image);
        oracle.stream = oracle.image.iter().map(|byte| !byte).collect();
        oracle
    }

    fn run(&self, hand: Hand, memory: *mut u8, packed: *mut u8) {
        let (list, sizes) = (self.case.places.as_ptr(), self.sizes.as_ptr());
        // SAFETY: the loops were generated for this layout; both sides hold the case.
        unsafe { hand(memory, packed, self.case.n, list, sizes) };
    }

    /// Calls once and compares. On packing the packed stream has the right bytes afterwards.
    pub fn check_pack(&self, buffers: Buffers, call: &mut Call) -> Result<(), String> {
        // SAFETY: the packed region holds the bytes of the case; nobody else uses it now.
        unsafe { buffers.packed.write_bytes(0x5A, self.case.bytes) };
        call(1)?;
        // SAFETY: the packed region holds the bytes of the case, and the call that wrote them has
        // returned.
        let packed = unsafe { std::slice::from_raw_parts(buffers.packed, self.case.bytes) };
        compare("packed", packed, &self.image)
    }

    /// Fills the packed stream with what is to be unpacked.
    pub fn before_unpack(&self, buffers: Buffers) {
        // SAFETY: the packed region holds the bytes of the case; nobody else uses it now.
        unsafe { buffers.packed.copy_from_nonoverlapping(self.stream.as_ptr(), self.case.bytes) };
    }

    /// Calls once and compares: the bytes of the layout, and the gaps. The memory holds the
    /// pattern again afterwards, except where the call wrote to gaps.
    pub fn check_unpack(&mut self, region: &Region, call: &mut Call) -> Result<(), String> {
        let memory = region.buffers().memory;
        let called = call(1);
        let scratch = self.scratch.as_mut_ptr();
        self.run(self.pack, memory, scratch);
        self.restore(region.buffers());
        called?;
        compare("unpacked", &self.scratch, &self.stream)?;
        if self.case.footprint <= MOST_CHECKED
            && let Some(at) = region.damage(self.case.footprint)
        {
            return Err(format!("wrote to a gap near byte {at}"));
        }
        Ok(())
    }

    /// Puts the pattern back in all bytes of the layout.
    pub fn restore(&self, buffers: Buffers) {
        self.run(self.unpack, buffers.memory, self.image.as_ptr().cast_mut());
    }
}

fn compare(what: &str, found: &[u8], expected: &[u8]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let differs = found.iter().zip(expected).filter(|(f, e)| f != e).count();
    let first = found.iter().zip(expected).position(|(f, e)| f != e).unwrap_or(0);
    Err(format!("{differs} of {} bytes {what} differ, the first is {first}", expected.len()))
}
