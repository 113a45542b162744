//! A datatype as a tree in words.

use commloom_copies::ir::Node;

use super::notation::Notation;

impl Notation<'_> {
    /// Its nodes with their depths, each before its children.
    pub fn tree(&self, node: &Node) -> Vec<(usize, String)> {
        let mut lines = Vec::new();
        self.branch(node, 0, "", &mut lines);
        lines
    }

    fn branch(&self, node: &Node, depth: usize, at: &str, lines: &mut Vec<(usize, String)>) {
        let mut line = |text: String| lines.push((depth, format!("{at}{text}")));
        match node {
            Node::Contiguous { count } => {
                line(format!("contiguous: {}", self.many(count, "element", "elements")));
            }
            Node::Vector { count, block, stride } => line(format!(
                "vector: {} of {}, from one to the next {}",
                self.many(count, "block", "blocks"),
                self.number(block),
                self.many(stride, "element", "elements")
            )),
            Node::Hvector { count, stride, child } => {
                line(format!(
                    "hvector: {} times, every {} bytes",
                    self.number(count),
                    self.number(stride)
                ));
                self.branch(child, depth + 1, "", lines);
            }
            Node::Listed { count, block, list, scale, .. } => line(format!(
                "indexed_block: {} of {} at {} * {}, and so on",
                self.many(count, "block", "blocks"),
                self.number(block),
                self.number(scale),
                self.plain(&list.to_string())
            )),
            Node::Hindexed { displacements, child } => {
                let all: Vec<String> = displacements.iter().map(|d| self.number(d)).collect();
                line(format!("hindexed: at bytes {}", all.join(", ")));
                self.branch(child, depth + 1, "", lines);
            }
            Node::Resized { extent, child } => {
                line(format!("resized: the next one begins after {} bytes", self.number(extent)));
                self.branch(child, depth + 1, "", lines);
            }
            Node::Struct(members) if members.is_empty() => line("nothing".to_owned()),
            Node::Struct(members) => {
                line(format!("struct: {} parts", members.len()));
                for member in members {
                    let at = format!("at {}: ", self.number(&member.displacement));
                    self.branch(&member.node, depth + 1, &at, lines);
                }
            }
            Node::Each { counter, count, displacement, child } => {
                line(format!("struct: a part for each {}", self.loop_of(*counter, count)));
                let at = format!("at {}: ", self.number(displacement));
                self.branch(child, depth + 1, &at, lines);
            }
            Node::Guard { condition, then, otherwise } => {
                line(format!("if {}", self.condition(condition)));
                self.branch(then, depth + 1, "", lines);
                let is_nothing =
                    matches!(&**otherwise, Node::Struct(members) if members.is_empty());
                if !is_nothing {
                    self.branch(otherwise, depth + 1, "otherwise ", lines);
                }
            }
        }
    }

    fn many(&self, count: &commloom_source::affine::Polynomial, one: &str, more: &str) -> String {
        let word = if count.as_constant() == Some(1) { one } else { more };
        format!("{} {word}", self.number(count))
    }
}
