//! commloom against the loops that a person writes in C with the sizes known at compile time
//! (`cc -O3 -march=native`) and against memcpy, interleaved in one run. Results are compared byte for
//! byte before anything is timed.
//!
//! `cargo bench -p commloom-pack [-- NAME]` prints, for each layout and packed size, the median time
//! of the C loop in ns, and the times of commloom and memcpy as multiples of it (medians of the
//! ratios per round; below 1 commloom is faster).

mod hand;
mod layouts;
mod timing;

use commloom_layout::{Basic, Type};
use commloom_pack::{Plan, detect, pack_raw, unpack_raw};

use layouts::Layout;
use timing::rounds;

const SIZES: [usize; 4] = [3_200, 32_000, 256_000, 2_560_000];

fn main() {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let layouts = layouts::all();
    let loops = match hand::Loops::compile(&layouts) {
        Ok(loops) => loops,
        Err(reason) => {
            println!("no comparison: {reason}");
            return;
        }
    };
    println!("{:?}", detect());
    println!("{:22} {:>6}  hand ns, commloom / hand, memcpy / hand", "", "");
    for layout in &layouts {
        if filter.as_ref().is_some_and(|f| !layout.name.contains(f.as_str())) {
            continue;
        }
        for direction in ["pack", "unpack"] {
            print!("{:22} {direction:>6}", layout.name);
            for size in SIZES {
                print!(" {}", cell(layout, &loops, direction == "pack", size));
            }
            println!();
        }
    }
    tiny();
}

/// Times one layout, direction and size.
fn cell(layout: &Layout, loops: &hand::Loops, packing: bool, size: usize) -> String {
    let case = layout.case(size);
    let plan = Plan::packed(&case.ty, case.count, &detect()).expect("a valid layout");
    let bytes = usize::try_from(plan.bytes()).expect("small");
    let len = usize::try_from(plan.bounds().end).expect("small");
    let mut memory: Vec<u8> = (0..251u8).cycle().take(len).collect();
    let mut packed = vec![0u8; bytes];
    let mut copy = vec![0u8; bytes];
    let hand = loops.find(&layout.symbol(packing));
    let list = case.list.as_ptr();
    let (m, p, c) = (memory.as_mut_ptr(), packed.as_mut_ptr(), copy.as_mut_ptr());
    let all = 0..plan.bytes();
    // SAFETY: memory holds the bounds of the plan, packed and copy its bytes; the C loops are
    // generated for this layout.
    unsafe {
        if packing {
            pack_raw(&plan, m, p, all.clone());
            hand(m, c, case.periods, list);
            assert_eq!(packed, copy, "{}: commloom and the loop differ\n{plan}", layout.name);
        } else {
            let stream: Vec<u8> = (0..241u8).cycle().take(bytes).collect();
            let mut other = memory.clone();
            packed.copy_from_slice(&stream);
            unpack_raw(&plan, m, p, all.clone());
            hand(other.as_mut_ptr(), p, case.periods, list);
            assert!(memory == other, "{}: commloom and the loop differ\n{plan}", layout.name);
        }
        let ours = || {
            if packing {
                pack_raw(&plan, m, p, all.clone())
            } else {
                unpack_raw(&plan, m, p, all.clone())
            }
        };
        let theirs = || hand(m, p, case.periods, list);
        let memcpy = || std::ptr::copy_nonoverlapping(std::hint::black_box(p), c, bytes);
        let [hand, ours, memcpy] = rounds([&theirs, &ours, &memcpy], size);
        format!("| {hand:9.0} {ours:5.2} {memcpy:5.2}")
    }
}

/// What a call costs beyond moving the bytes (a layout of 96 bytes), and what plans cost to make.
fn tiny() {
    let double = Type::leaf(Basic::DOUBLE);
    let target = detect();
    let small = Type::vec(12, 16, double.clone()).expect("valid");
    let mut nested = small.clone();
    for level in 0..8 {
        let (index, stride) = (8 * i64::from(level), nested.extent() + 8);
        let pair = Type::strc([0, index + 4], [Type::leaf(Basic::INT), nested]).expect("valid");
        nested = if level % 2 == 0 { pair } else { Type::vec(3, 2 * stride, pair).expect("valid") };
    }
    let places: Vec<i64> = (0..320_000).map(|i| 16 * i + i % 3).collect();
    let list = Type::idx(places, double).expect("valid");

    let plan = Plan::packed(&small, 1, &target).expect("valid");
    let (memory, mut packed) = ([1u8; 192], [0u8; 96]);
    let p = packed.as_mut_ptr();
    // SAFETY: the buffers hold the plan.
    let pack = || unsafe { pack_raw(std::hint::black_box(&plan), memory.as_ptr(), p, 0..96) };
    println!("pack of 96 bytes: {:.1} ns", timing::single(&pack, 2000));
    for (name, ty, calls) in
        [("12 blocks", &small, 2000), ("21 nodes", &nested, 500), ("a list of 320,000", &list, 2)]
    {
        let make = || drop(std::hint::black_box(Plan::packed(ty, 3, &target)));
        println!("plan of {name}: {:.0} ns", timing::single(&make, calls));
    }
}
