//! Differences for people and for `patch`.

use similar::TextDiff;

/// A unified diff with three lines of context; empty where nothing differs. Paths as `git` gives
/// them (`a/name`, `b/name`).
pub fn diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let (old, new) = (format!("a/{name}"), format!("b/{name}"));
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(&old, &new)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_with_context() {
        assert_eq!(diff("x.c", "a\n", "a\n"), "");
        let text = diff("x.c", "a\nb\nc\n", "a\nB\nc\n");
        assert_eq!(text, "--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    }
}
