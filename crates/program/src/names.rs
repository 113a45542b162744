//! Names with their classes, namespaces and modules.

/// The last part of a qualified name.
pub(super) fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
