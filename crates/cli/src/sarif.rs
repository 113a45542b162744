//! Parts that all SARIF 2.1.0 logs (OASIS standard of 2020) of commloom share.

use std::path::Path;

use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log with one run.
pub fn log(rules: &[Value], results: &[Value]) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "commloom",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Relative to where commloom runs, where the file is below; `file://` elsewhere.
pub fn uri(file: &str) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|here| {
        let below = Path::new(file).strip_prefix(here).ok()?;
        Some(below.to_string_lossy().into_owned())
    });
    match relative {
        Some(relative) => escaped(&relative),
        None if file.starts_with('/') => format!("file://{}", escaped(file)),
        None => escaped(file),
    }
}

/// With `%` codes for what may not stand in a URI (RFC 3986, section 2).
fn escaped(path: &str) -> String {
    let kept = |b: u8| b.is_ascii_alphanumeric() || b"-._~/+".contains(&b);
    path.bytes()
        .map(|b| if kept(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_uris() {
        assert_eq!(uri("/src/my code/a.c"), "file:///src/my%20code/a.c");
        assert_eq!(uri("a.c"), "a.c");
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(uri(&here.join("x/a.c").to_string_lossy()), "x/a.c");
    }
}
