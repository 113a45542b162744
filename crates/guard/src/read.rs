//! [`read`]: a file that somebody else may have put there.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// How the name of a file came to be known, which decides what it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The user gave it to a command: also a pipe, a terminal, a link.
    Argument,
    /// A setting or another file names it: a regular file, perhaps behind a link.
    Named,
    /// It lies in a folder that was named: a regular file, and no link.
    Found,
    /// It lies in the user's cache: as [`Origin::Found`], and nobody else can write it.
    Cache,
}

/// Reads a file of at most `most` bytes. Only an [`Origin::Argument`] is waited for.
///
/// # Errors
/// Those of the file system, and what the file is that it may not be.
pub fn read(path: &Path, origin: Origin, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path, origin)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).map_or(true, |length| length > most) {
        return Err(refused(&format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// The same, as text in UTF-8.
///
/// # Errors
/// As [`read`], and where it is no such text.
pub fn text(path: &Path, origin: Origin, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, origin, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refused(&format!("it is not UTF-8 text: byte {at} belongs to no character"))
    })
}

fn open(path: &Path, origin: Origin) -> io::Result<File> {
    if origin == Origin::Argument {
        return File::open(path);
    }
    let follows = origin == Origin::Named;
    // To open some devices is to use them; what is opened below is judged again.
    let data = if follows { path.metadata()? } else { path.symlink_metadata()? };
    if data.is_symlink() {
        return Err(refused("it is a link"));
    }
    if !data.is_file() {
        return Err(refused("it is no regular file"));
    }
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if !follows {
        flags |= OFlags::NOFOLLOW;
    }
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let data = file.metadata()?;
    if !data.is_file() {
        return Err(refused("it is no regular file"));
    }
    if origin == Origin::Cache {
        let owner = data.uid();
        if owner != 0 && owner != rustix::process::geteuid().as_raw() {
            return Err(refused(&format!("it belongs to user {owner}")));
        }
        if data.mode() & 0o002 != 0 {
            return Err(refused("everybody can write it"));
        }
    }
    Ok(file)
}

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    const FOUND: [Origin; 2] = [Origin::Found, Origin::Cache];

    fn refusal(path: &Path, origin: Origin) -> String {
        read(path, origin, 100).unwrap_err().to_string()
    }

    #[test]
    fn links_pipes_folders_devices_and_long_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink("/dev/zero", at("device")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        for origin in [Origin::Argument, Origin::Named, Origin::Found, Origin::Cache] {
            assert_eq!(read(&at("file"), origin, 4).unwrap(), b"text");
            assert!(read(&at("file"), origin, 3).is_err());
            assert!(read(&at("missing"), origin, 3).is_err());
            assert!(read(folder.path(), origin, 3).is_err());
        }
        for origin in FOUND {
            assert_eq!(refusal(&at("link"), origin), "it is a link");
            assert_eq!(refusal(&at("device"), origin), "it is a link");
        }
        assert_eq!(read(&at("link"), Origin::Named, 4).unwrap(), b"text");
        for origin in [Origin::Named, Origin::Found, Origin::Cache] {
            assert_eq!(refusal(&at("pipe"), origin), "it is no regular file");
        }
        assert_eq!(refusal(&at("device"), Origin::Named), "it is no regular file");
        assert!(read(&at("device"), Origin::Argument, 1 << 16).is_err(), "no end of zeros");
    }

    #[test]
    fn a_cache_is_written_by_its_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(refusal(&file, Origin::Cache), "everybody can write it");
        assert!(read(&file, Origin::Found, 4).is_ok());
    }

    #[test]
    fn text_is_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, b"ab\xff").unwrap();
        let error = text(&file, Origin::Found, 9).unwrap_err();
        assert!(error.to_string().contains("byte 2"), "{error}");
    }
}
