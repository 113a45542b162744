//! Files that processes of one user and one machine share as memory.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{FallocateFlags, OFlags};
use tempfile::TempPath;

use crate::longest_file;

/// Characters of a name that are drawn by chance.
pub const NAME: usize = 16;
/// Before them.
const PREFIX: &str = "commloom-";

/// A file that has a name as long as this value lives.
#[derive(Debug)]
pub struct Shareable {
    /// Only this user can open it. It has all of its bytes: no write to it finds the disk full.
    pub file: File,
    /// The name by which others open it.
    pub name: [u8; NAME],
    _path: TempPath,
}

/// Makes a file of `bytes` zeros in `folder`.
///
/// # Errors
/// Those of the file system, such as no room for all of it.
pub fn make_shareable(folder: &Path, bytes: u64) -> io::Result<Shareable> {
    if bytes > longest_file() {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).rand_bytes(NAME).permissions(Permissions::from_mode(0o600));
    let (file, path) = builder.tempfile_in(folder)?.into_parts();
    rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, bytes)?;
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.and_then(|name| name.strip_prefix(PREFIX)?.as_bytes().try_into().ok());
    let name = name.ok_or(io::ErrorKind::InvalidData)?;
    Ok(Shareable { file, name, _path: path })
}

/// Opens what another process of this user has made.
///
/// # Errors
/// There is no such file, or it is something else.
pub fn open_shared(folder: &Path, name: [u8; NAME], bytes: u64) -> io::Result<File> {
    let path = folder.join(meeting_name(name)?);
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let flags = i32::try_from(flags).map_err(io::Error::other)?;
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
    let data = file.metadata()?;
    let mine = data.uid() == rustix::process::geteuid().as_raw() && data.mode() & 0o077 == 0;
    match data.is_file() && mine && data.len() == bytes {
        true => Ok(file),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Opens a file of `bytes` zeros that processes of this user meet at, or makes it: the first one
/// does, whole or not at all. What makes them a group is in the name. Whoever knows that the
/// others have it takes the name away ([`part`]).
///
/// # Errors
/// Those of the file system; something else has the name.
pub fn meet(folder: &Path, name: [u8; NAME], bytes: u64) -> io::Result<File> {
    let path = folder.join(meeting_name(name)?);
    let made = make_shareable(folder, bytes)?;
    // A second name for the same file, which exists with all of its bytes from the first moment.
    match std::fs::hard_link(folder.join(meeting_name(made.name)?), path) {
        Ok(()) => Ok(made.file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            open_shared(folder, name, bytes)
        }
        Err(error) => Err(error),
    }
}

/// Takes away the name of what processes have met at. They keep the file.
pub fn part(folder: &Path, name: [u8; NAME]) {
    // Somebody else has done it, or its folder is gone.
    let _ = meeting_name(name).map(|name| std::fs::remove_file(folder.join(name)));
}

/// The name of a file.
fn meeting_name(name: [u8; NAME]) -> io::Result<String> {
    let is_plain = name.iter().all(u8::is_ascii_alphanumeric);
    let name = std::str::from_utf8(&name).ok().filter(|_| is_plain);
    Ok(format!("{PREFIX}{}", name.ok_or(io::ErrorKind::InvalidData)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_who_meet_have_one_file_and_nobody_is_let_in_by_a_planted_one() {
        use std::os::unix::fs::FileExt;
        let folder = tempfile::tempdir().unwrap();
        let name = *b"abcdefgh01234567";
        let met: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..8).map(|_| scope.spawn(|| meet(folder.path(), name, 4096).unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        met[0].write_all_at(b"here", 8).unwrap();
        for file in &met {
            let mut read = [0; 4];
            file.read_exact_at(&mut read, 8).unwrap();
            assert_eq!(&read, b"here");
        }
        part(folder.path(), name);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::write(folder.path().join("file"), [0; 4096]).unwrap();
        let planted = folder.path().join(meeting_name(name).unwrap());
        std::os::unix::fs::symlink("file", planted).unwrap();
        assert!(meet(folder.path(), name, 4096).is_err(), "a link");
    }

    #[test]
    fn only_what_was_made_is_opened_and_its_name_is_gone_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let made = make_shareable(folder.path(), 4096).unwrap();
        assert_eq!(made.file.metadata().unwrap().mode() & 0o777, 0o600);
        assert!(open_shared(folder.path(), made.name, 4096).is_ok());
        assert!(open_shared(folder.path(), made.name, 4097).is_err());
        assert!(open_shared(folder.path(), *b"../../etc/passwd", 4096).is_err());
        let name = String::from_utf8(made.name.to_vec()).unwrap();
        let path = folder.path().join(format!("{PREFIX}{name}"));
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(open_shared(folder.path(), made.name, 4096).is_err(), "others can read it");
        drop(made);
        let linked = folder.path().join(format!("{PREFIX}aaaaaaaaaaaaaaaa"));
        std::fs::write(folder.path().join("file"), [0; 4096]).unwrap();
        std::os::unix::fs::symlink("file", linked).unwrap();
        assert!(open_shared(folder.path(), *b"aaaaaaaaaaaaaaaa", 4096).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
