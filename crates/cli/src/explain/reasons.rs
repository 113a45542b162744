//! Why each level of a plan is moved as it is.

use commloom_plan::{Kernel, Node, Offsets, Program, Shape, Target};

use commloom_picture::counted;

/// One line per level, as deep as the level: what its kernel does, and why it is that one.
pub fn reasons(root: &Node, target: &Target) -> Vec<String> {
    let mut lines = Vec::new();
    level(root, target, 1, &mut lines);
    lines
}

fn level(node: &Node, target: &Target, depth: usize, lines: &mut Vec<String>) {
    let words = format!("{}: {}", name(node), reason(node, target));
    lines.push(format!("{:indent$}{words}", "", indent = 2 * depth));
    match node.shape() {
        Shape::Block | Shape::Runs { .. } => {}
        Shape::Loop { body, .. } | Shape::List { body, .. } | Shape::Buckets { body, .. } => {
            // Below a kernel that moves whole copies nothing is decided any more.
            if matches!(node.kernel(), Kernel::Walk) {
                level(body, target, depth + 1, lines);
            }
        }
        Shape::Seq(steps) => {
            steps.iter().for_each(|step| level(&step.node, target, depth + 1, lines));
        }
    }
}

fn name(node: &Node) -> String {
    match node.shape() {
        Shape::Block => format!("block {}", node.bytes()),
        Shape::Loop { count, .. } => format!("loop {count}"),
        Shape::List { offsets, .. } => format!("list {}{}", offsets.len(), encoding(offsets)),
        Shape::Buckets { offsets, .. } => {
            format!("buckets {}{}", offsets.len(), encoding(offsets))
        }
        Shape::Runs { offsets, .. } => format!("runs {}{}", offsets.len(), encoding(offsets)),
        Shape::Seq(steps) => format!("seq {}", steps.len()),
    }
}

/// How a list is kept.
fn encoding(offsets: &Offsets) -> &'static str {
    match offsets {
        Offsets::Narrow(_) => " (32-bit offsets)",
        Offsets::Wide(_) => " (64-bit offsets)",
        Offsets::Short { .. } => " (16-bit offsets from anchors)",
    }
}

fn reason(node: &Node, target: &Target) -> String {
    of_kernel(node, node.kernel(), target)
}

fn of_kernel(node: &Node, kernel: &Kernel, target: &Target) -> String {
    match kernel {
        Kernel::Copy => "one run of bytes, one copy".to_owned(),
        Kernel::Runs => "blocks of different lengths, one after the other".to_owned(),
        Kernel::Walk => match node.shape() {
            Shape::Seq(_) => "different parts, each with a kernel of its own".to_owned(),
            _ => "copies are long enough for a kernel of their own".to_owned(),
        },
        Kernel::Rows { length, columns: 1, ahead, .. } => {
            let mut reason = format!("each copy is one block of {}", bytes(*length));
            let ways = [
                ("packing", ahead.pack, target.prefetch_from),
                ("unpacking", ahead.unpack, target.prefetch_write_from),
            ];
            for (way, ahead, from) in ways {
                if ahead > 0 {
                    reason += &format!(
                        "; the list reaches past the {} from which on it pays when {way} to touch \
                         blocks {ahead} ahead",
                        size(from)
                    );
                }
            }
            reason
        }
        Kernel::Rows { length, columns, .. } => format!(
            "each copy is {columns} equal blocks of {} at one distance: two loops in one call",
            bytes(*length)
        ),
        Kernel::Period { parts, tile, .. } => format!(
            "each copy is {}, at most {}: piece by piece over {tile} copies at a time, which fill \
             half of the L1 cache of {}",
            counted(u64::try_from(parts.len()).unwrap_or(u64::MAX), "block", "blocks"),
            target.max_parts,
            size(target.l1)
        ),
        Kernel::Blocks { parts } => format!(
            "each copy is {} that are long enough to be moved one by one",
            counted(u64::try_from(parts.len()).unwrap_or(u64::MAX), "block", "blocks")
        ),
        Kernel::Paced { rows, other } => format!(
            "{}; the stride falls into few sets of the L1 cache, so unpacking lets stores finish \
             every {}",
            of_kernel(node, other, target),
            counted(*rows, "block", "blocks")
        ),
        Kernel::Tiles(tiles) => format!(
            "memory and the packed stream run along different dimensions: by tiles of whole lines \
             of both, elements of {}",
            bytes(tiles.length)
        ),
        Kernel::Programs { pack, unpack, .. } => {
            let way = |program: &Option<Box<Program>>, verb: &str| match program {
                Some(program) => format!("{verb} by {}", permutations(program)),
                None => format!("{verb} block by block, which is no slower"),
            };
            format!(
                "small blocks on a machine with {}-byte vectors: {}; {}",
                target.vector,
                way(pack, "packed"),
                way(unpack, "unpacked")
            )
        }
    }
}

fn permutations(program: &Program) -> String {
    let moves = u64::try_from(program.moves().len()).unwrap_or(u64::MAX);
    let unit = if program.unit() == 1 { "bytes" } else { "4-byte words" };
    format!(
        "{} of {unit} for {}",
        counted(moves, "permutation", "permutations"),
        counted(program.copies(), "copy", "copies")
    )
}

fn bytes(n: u64) -> String {
    counted(n, "byte", "bytes")
}

/// Bytes in the largest unit that divides them.
fn size(n: u64) -> String {
    match n {
        n if n > 0 && n.is_multiple_of(1 << 20) => format!("{} MiB", n >> 20),
        n if n > 0 && n.is_multiple_of(1 << 10) => format!("{} KiB", n >> 10),
        n => bytes(n),
    }
}
