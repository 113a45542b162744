//! [`write`]: a file, whole or not at all.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, OFlags, Uid};
use tempfile::NamedTempFile;

use crate::pending;

/// Whose the file is afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// This user's: a result.
    Mine,
    /// That of the file that was there: a source that is changed.
    Kept,
}

/// Writes a file. Whoever reads it meanwhile finds what was there before or all of `bytes`, and
/// what was there stays where there is no room. A link is followed only if it is this user's or
/// root's. A pipe or device that is there gets the bytes.
///
/// # Errors
/// Those of the file system. What was there is then as it was.
pub fn write(path: &Path, bytes: &[u8], ownership: Ownership) -> io::Result<()> {
    let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
    if length > longest_file() {
        // To write on would end the process, which may be the user's program.
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    match path.to_str() {
        // Opened anew, a file behind them would be written from another place than by this
        // process.
        Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => {
            let mut out = io::stdout().lock();
            return out.write_all(bytes).and_then(|()| out.flush());
        }
        Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => {
            return io::stderr().lock().write_all(bytes);
        }
        _ => {}
    }
    let (path, there) = destination(path)?;
    match there {
        Some(data) if data.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Some(data) if !data.is_file() => pour(&path, bytes),
        there => replace(&path, there.as_ref(), bytes, ownership),
    }
}

/// Tries whether [`write`] could write to `path` now. What is there stays as it is, and nothing is
/// left.
///
/// # Errors
/// Why it could not.
pub fn can_write(path: &Path) -> io::Result<()> {
    let (path, there) = destination(path)?;
    match there {
        Some(data) if data.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Some(data) if !data.is_file() || is_open_file(&path) => open_to_pour(&path).map(drop),
        there => match tempfile::tempfile_in(folder_of(&path)) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && there.is_some() => {
                open_in_place(&path).map(drop).map_err(|_| error)
            }
            made => made.map(drop),
        },
    }
}

/// Bytes that a file of this process may have (`ulimit -f`). More of them end the process.
#[must_use]
pub fn longest_file() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current.unwrap_or(u64::MAX)
}

/// Where the bytes go, and what is there.
fn destination(path: &Path) -> io::Result<(PathBuf, Option<Metadata>)> {
    let data = match path.symlink_metadata() {
        Ok(data) => data,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok((path.to_owned(), None));
        }
        Err(error) => return Err(error),
    };
    if !data.is_symlink() {
        return Ok((path.to_owned(), Some(data)));
    }
    if !is_trusted(&data) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("it is a link of user {}, and is not followed", data.uid()),
        ));
    }
    let data = path.metadata()?;
    if data.is_file() && !is_open_file(path) {
        let whole = path.canonicalize()?;
        let data = whole.symlink_metadata()?;
        return Ok((whole, Some(data)));
    }
    Ok((path.to_owned(), Some(data)))
}

fn is_trusted(data: &Metadata) -> bool {
    let owner = data.uid();
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}

/// Names of what is open already: to replace the file would leave the one that was meant empty.
fn is_open_file(path: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|place| path.starts_with(place))
}

/// Into a pipe, a device, or an open file.
fn pour(path: &Path, bytes: &[u8]) -> io::Result<()> {
    open_to_pour(path)?.write_all(bytes)
}

fn open_to_pour(path: &Path) -> io::Result<File> {
    let flags =
        i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).map_err(io::Error::other)?;
    // A pipe that nobody reads is an error at once; an open file goes on where it ends.
    let opened = OpenOptions::new().append(true).custom_flags(flags).open(path);
    let file = opened.map_err(|error| reason(error, path))?;
    let data = file.metadata()?;
    if data.file_type().is_fifo() && !is_trusted(&data) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("it is a pipe of user {}", data.uid()),
        ));
    }
    let flags = rustix::fs::fcntl_getfl(&file)?;
    rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Why it cannot be opened, where the system's words ("No such device or address") are about
/// something else.
fn reason(error: io::Error, path: &Path) -> io::Error {
    let is = |test: fn(&std::fs::FileType) -> bool| {
        path.metadata().is_ok_and(|data| test(&data.file_type()))
    };
    match error.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::NXIO) if is(FileTypeExt::is_fifo) => {
            io::Error::new(error.kind(), "it is a pipe that nobody reads")
        }
        Some(rustix::io::Errno::NXIO) if is(FileTypeExt::is_socket) => {
            io::Error::new(error.kind(), "it is a socket")
        }
        _ => error,
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn replace(
    path: &Path,
    there: Option<&Metadata>,
    bytes: &[u8],
    ownership: Ownership,
) -> io::Result<()> {
    if there.is_some() && is_open_file(path) {
        return pour(path, bytes);
    }
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".commloom-").rand_bytes(16);
    // Not `tempfile_in`, whose errors name a path that nobody knows. A new file gets what the
    // user's mask leaves.
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o666);
    let made = match builder.make_in(folder, |path| options.open(path)) {
        Ok(made) => made,
        // A folder that is closed, with a file in it that is open to this user.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && there.is_some() => {
            return in_place(path, bytes).map_err(|_| error);
        }
        Err(error) => return Err(error),
    };
    let temporary = made.path().to_owned();
    pending::add(&temporary);
    let written = fill(made, path, there, bytes, ownership);
    pending::done(&temporary);
    written
}

fn fill(
    mut made: NamedTempFile,
    path: &Path,
    there: Option<&Metadata>,
    bytes: &[u8],
    ownership: Ownership,
) -> io::Result<()> {
    let file = made.as_file_mut();
    file.write_all(bytes)?;
    if let Some(there) = there {
        let mine = there.uid() == rustix::process::geteuid().as_raw();
        if ownership == Ownership::Kept {
            let now = file.metadata()?;
            if (now.uid(), now.gid()) != (there.uid(), there.gid()) {
                let (owner, group) = (Uid::from_raw(there.uid()), Gid::from_raw(there.gid()));
                rustix::fs::fchown(&*file, Some(owner), Some(group))?;
            }
        }
        if mine || ownership == Ownership::Kept {
            file.set_permissions(Permissions::from_mode(there.mode() & 0o7777))?;
        }
    }
    // A disk may be full only now.
    file.sync_all()?;
    made.persist(path).map(|_: File| ()).map_err(|error| error.error)
}

/// Over a file of this user.
fn in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = open_in_place(path)?;
    file.set_len(0)?;
    file.write_all(bytes)
}

fn open_in_place(path: &Path) -> io::Result<File> {
    let flags =
        i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new().write(true).custom_flags(flags).open(path)?;
    let data = file.metadata()?;
    if !data.is_file() || !is_trusted(&data) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_with_its_mode_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write(&file, b"one", Ownership::Mine).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let inode = file.metadata().unwrap().ino();
        write(&file, b"two", Ownership::Kept).unwrap();
        let data = file.metadata().unwrap();
        assert_eq!(
            (std::fs::read(&file).unwrap().as_slice(), data.mode() & 0o777),
            (&b"two"[..], 0o640)
        );
        assert_ne!(data.ino(), inode, "a reader keeps the old one");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn links_of_the_user_are_followed_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "old").unwrap();
        symlink("file", at("link")).unwrap();
        write(&at("link"), b"new", Ownership::Mine).unwrap();
        assert_eq!(std::fs::read(at("file")).unwrap(), b"new");
        assert!(at("link").is_symlink());
        symlink("nothing", at("dangling")).unwrap();
        assert!(write(&at("dangling"), b"new", Ownership::Mine).is_err());
        assert_eq!(names(folder.path()), ["dangling", "file", "link"]);
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_an_error_and_a_folder_too() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        assert!(write(&pipe, b"x", Ownership::Mine).is_err());
        assert!(write(folder.path(), b"x", Ownership::Mine).is_err());
        write(Path::new("/dev/null"), b"x", Ownership::Mine).unwrap();
        assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
        assert_eq!(names(folder.path()), ["pipe"]);
    }

    #[test]
    fn what_was_there_stays_where_there_is_no_room() {
        assert!(write(Path::new("/dev/full"), b"x", Ownership::Mine).is_err());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("missing/file");
        assert!(write(&file, b"x", Ownership::Mine).is_err());
    }

    #[test]
    fn trying_finds_what_writing_finds_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("old"), "of yesterday").unwrap();
        symlink("old", at("link")).unwrap();
        symlink("missing", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), kind, 0o600.into(), 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let before = names(folder.path());
        for fine in ["old", "link", "fresh.html"] {
            can_write(&at(fine)).unwrap_or_else(|error| panic!("{fine}: {error}"));
        }
        assert_eq!(names(folder.path()), before);
        assert_eq!(std::fs::read(at("old")).unwrap(), b"of yesterday");
        for wrong in [".", "no/such/file", "old/file", "dangling", "loop", "pipe", "socket"] {
            let tried = can_write(&at(wrong)).map_err(|error| error.to_string());
            let written = write(&at(wrong), b"x", Ownership::Mine).map_err(|e| e.to_string());
            assert!(tried.is_err(), "{wrong}");
            assert_eq!(tried, written, "{wrong}");
        }
        let pipe = can_write(&at("pipe")).unwrap_err().to_string();
        assert_eq!(pipe, "it is a pipe that nobody reads");
        // Open at both ends: somebody reads it.
        let _reader = OpenOptions::new().read(true).write(true).open(at("pipe")).unwrap();
        can_write(&at("pipe")).unwrap();
        assert!(can_write(Path::new("/proc/commloom")).is_err());
        can_write(Path::new("/dev/full")).unwrap();
    }
}
