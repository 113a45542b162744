//! Sources that are not UTF-8: each byte is a character of Latin-1, whatever it was meant to be,
//! so that all that is not changed comes back byte by byte.

use std::path::Path;

use commloom_guard::Origin;

use crate::files::TEXT;

/// The text of a file; none where it is no text at all.
pub fn decoded(bytes: Vec<u8>) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let bytes = error.into_bytes();
            (!bytes.contains(&0)).then(|| bytes.into_iter().map(char::from).collect())
        }
    }
}

/// A text as the bytes of a file that has been read so; none where it has characters that the
/// file has no bytes for.
pub fn encoded(text: &str, file: &[u8]) -> Option<Vec<u8>> {
    if std::str::from_utf8(file).is_ok() {
        return Some(text.as_bytes().to_vec());
    }
    text.chars().map(|character| u8::try_from(character).ok()).collect()
}

/// A patch of a file in the bytes that the file has, so that it applies: all but the names before
/// the first place, which are those of the files.
pub fn patched(patch: &str, path: &Path) -> Vec<u8> {
    let whole = || patch.as_bytes().to_vec();
    let Ok(file) = commloom_guard::read(path, Origin::Named, TEXT) else { return whole() };
    let start = patch.find("\n@@").map_or(0, |at| at + 1);
    let Some((names, places)) = patch.split_at_checked(start) else { return whole() };
    encoded(places, &file).map_or_else(whole, |places| [names.as_bytes(), &places].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for bytes in [&b"caf\xe9 /* \x80\xff */ x"[..], "caf\u{e9}".as_bytes(), b"plain"] {
            let text = decoded(bytes.to_vec()).expect("a text");
            assert_eq!(encoded(&text, bytes).as_deref(), Some(bytes));
        }
        assert_eq!(decoded(b"a\0\xff".to_vec()), None);
        assert_eq!(encoded("\u{2013}", b"\xe9"), None);
    }

    #[test]
    fn a_patch_has_the_bytes_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.c");
        let patch = "--- a/\u{e9}.c\n+++ b/\u{e9}.c\n@@ -1 +1 @@\n-\u{e9}\n+\u{e9};\n";
        std::fs::write(&path, b"\xe9\n").expect("a file");
        let names = "--- a/\u{e9}.c\n+++ b/\u{e9}.c\n".as_bytes();
        let expected = [names, b"@@ -1 +1 @@\n-\xe9\n+\xe9;\n"].concat();
        assert_eq!(patched(patch, &path), expected);
        std::fs::write(&path, "\u{e9}\n").expect("a file");
        assert_eq!(patched(patch, &path), patch.as_bytes());
    }
}
