//! [`Folder`]: a temporary folder of this user alone.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::pending;

/// A new folder with a random name that only this user can enter. It is removed when it is
/// dropped, and by [`crate::remove_all`].
#[derive(Debug)]
pub struct Folder(Option<TempDir>);

impl Folder {
    /// Makes the folder in `parent`, from where programs may be run: nobody else can replace it.
    ///
    /// # Errors
    /// `parent` cannot be written, or somebody else could replace what lies in it.
    pub fn new(parent: &Path) -> io::Result<Folder> {
        let parent = parent.canonicalize()?;
        for folder in parent.ancestors() {
            if let Some(reason) = replaceable(folder)? {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    format!("{reason}, who could replace what lies in it"),
                ));
            }
        }
        let made = tempfile::Builder::new()
            .prefix("commloom-")
            .rand_bytes(16)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)?;
        pending::add(made.path());
        Ok(Folder(Some(made)))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), TempDir::path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let Some(folder) = self.0.take() else { return };
        let path = folder.path().to_owned();
        // Where that fails the folder has gone already, or its parent is no longer ours to write.
        let _ = folder.close();
        pending::done(&path);
    }
}

/// Who could rename what lies in `folder`; `None` where only this user and the system can.
fn replaceable(folder: &Path) -> io::Result<Option<String>> {
    let data = folder.symlink_metadata()?;
    let shown = folder.display().to_string();
    let shown = crate::one_line(&shown);
    let owner = data.uid();
    let (me, mode) = (rustix::process::geteuid().as_raw(), data.mode());
    if owner != me && owner != 0 && Some(owner) != unmapped() {
        return Ok(Some(format!("{shown} belongs to user {owner}")));
    }
    let by_group = mode & 0o020 != 0 && data.gid() != 0;
    let sticky = mode & 0o1000 != 0;
    Ok(match (mode & 0o002 != 0, by_group) {
        _ if sticky => None,
        (true, _) => Some(format!("{shown} can be written by everybody")),
        (_, true) => Some(format!("{shown} can be written by group {}", data.gid())),
        (false, false) => None,
    })
}

/// As whom the files of the system appear in a container that knows only this user.
fn unmapped() -> Option<u32> {
    let map = std::fs::read_to_string("/proc/self/uid_map").ok()?;
    let maps_all = map.split_whitespace().eq(["0", "0", "4294967295"]);
    if maps_all {
        return None;
    }
    std::fs::read_to_string(PathBuf::from("/proc/sys/kernel/overflowuid")).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_mode(parent: &Path, name: &str, mode: u32) -> PathBuf {
        let path = parent.join(name);
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_folder_is_private_and_gone_afterwards() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::new(parent.path()).unwrap();
        let path = folder.path().to_owned();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o700);
        std::fs::write(path.join("file"), "x").unwrap();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn nothing_is_made_where_somebody_else_could_replace_it() {
        let parent = tempfile::tempdir().unwrap();
        let open = with_mode(parent.path(), "open", 0o777);
        let error = Folder::new(&open).unwrap_err();
        assert!(error.to_string().contains("written by everybody"), "{error}");
        let below = with_mode(&open, "below", 0o700);
        assert!(Folder::new(&below).is_err(), "a folder above can be renamed");
        assert!(Folder::new(&with_mode(parent.path(), "sticky", 0o1777)).is_ok());
        assert!(Folder::new(&parent.path().join("missing")).is_err());
        let link = parent.path().join("link");
        std::os::unix::fs::symlink(&open, &link).unwrap();
        assert!(Folder::new(&link).is_err(), "a link is judged by where it leads");
    }
}
