//! Plans as JSON: nodes as objects with one member that names the shape, as types are written.

use commloom_plan::{Node, Offsets, Shape, Target};

/// The fields of a target.
pub fn target(target: &Target) -> String {
    let Target { l1, l2, vector, byte_permute, narrow_lists, max_parts, prefetch_from, .. } =
        target;
    format!(
        "{{\"vector\": {vector}, \"byte_permute\": {byte_permute}, \"l1\": {l1}, \"l2\": {l2}, \
         \"narrow_lists\": {narrow_lists}, \"max_parts\": {max_parts}, \"prefetch_from\": {}}}",
        // No list reaches so far: never.
        if *prefetch_from == u64::MAX { "null".to_owned() } else { prefetch_from.to_string() }
    )
}

/// A node and everything below it. Displacements in bytes from its first byte.
pub fn node(this: &Node) -> String {
    let kernel = this.kernel();
    match this.shape() {
        Shape::Block => format!("{{\"block\": {{\"bytes\": {}}}}}", this.bytes()),
        Shape::Loop { count, stride, body } => format!(
            "{{\"loop\": {{\"count\": {count}, \"stride\": {stride}, \"kernel\": \"{kernel}\", \
             \"body\": {}}}}}",
            node(body)
        ),
        Shape::List { offsets, body } => format!(
            "{{\"list\": {{{}, \"kernel\": \"{kernel}\", \"body\": {}}}}}",
            places(offsets),
            node(body)
        ),
        Shape::Buckets { offsets, copies, stride, body } => format!(
            "{{\"buckets\": {{{}, \"copies\": {}, \"stride\": {stride}, \"kernel\": \"{kernel}\", \
             \"body\": {}}}}}",
            places(offsets),
            list(copies.windows(2).map(|w| w[1] - w[0])),
            node(body)
        ),
        Shape::Runs { offsets, starts } => format!(
            "{{\"runs\": {{{}, \"lengths\": {}}}}}",
            places(offsets),
            list(starts.windows(2).map(|w| w[1] - w[0]))
        ),
        Shape::Seq(steps) => format!(
            "{{\"seq\": {{\"offsets\": {}, \"children\": {}}}}}",
            list(steps.iter().map(|step| step.a)),
            list(steps.iter().map(|step| node(&step.node)))
        ),
    }
}

fn places(offsets: &Offsets) -> String {
    let bits = match offsets {
        Offsets::Narrow(_) => 32,
        Offsets::Wide(_) => 64,
        Offsets::Short { .. } => 16,
    };
    format!("\"bits\": {bits}, \"offsets\": {}", list(offsets.iter()))
}

fn list<T: ToString>(items: impl Iterator<Item = T>) -> String {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}
