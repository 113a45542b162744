//! [`Measured`]: what messages take with the library behind us, for the choice of their way.

use std::path::Path;

use commloom_choice::{LONGEST, Model, Table, file_name};
use commloom_guard::{Origin, one_line};
use commloom_mpi::AbiKind;

use crate::runtime::config::Config;

/// Measured with Debian's packages of MPICH 4.0.2 and Open MPI 4.1.4 between two processes of one
/// machine (AMD Zen 5): what holds until somebody measures here.
const MPICH: &str = include_str!("measured/mpich.txt");
const OPEN_MPI: &str = include_str!("measured/openmpi.txt");

/// A model, and where it is from.
#[derive(Debug)]
pub(crate) struct Measured {
    pub model: Model,
    pub source: String,
    /// It was measured with the library of this process.
    pub is_own: bool,
    /// The file that is not used, and why.
    pub refused: Option<String>,
}

impl Measured {
    /// The file that the user names, else the one measured with this library before, else a
    /// built-in table. A file that cannot be used is not used, and named with the reason.
    pub fn of(kind: AbiKind, version: &str, config: &Config) -> Measured {
        let named = config.model.clone();
        let own = || Some(config.models.as_ref()?.join(file_name(version)));
        let mut refused = None;
        let origin = if named.is_some() { Origin::Named } else { Origin::Cache };
        if let Some(file) = named.or_else(own) {
            let shown = file.display();
            match read(&file, origin) {
                Ok(Some(table)) => {
                    let source = format!("{shown} ({})", table.measured);
                    return Measured { model: Model::new(table), source, is_own: true, refused };
                }
                Ok(None) if origin == Origin::Cache => {}
                Ok(None) => refused = Some(format!("{shown} is not there")),
                Err(reason) => refused = Some(format!("{shown} is not used: {reason}")),
            }
        }
        let refused = refused.map(|reason| one_line(&reason).into_owned());
        let text = match kind {
            AbiKind::Mpich | AbiKind::Standard => MPICH,
            AbiKind::OpenMpi => OPEN_MPI,
        };
        // A test reads both.
        let table: Table = text.parse().unwrap_or_default();
        let instead = refused.as_ref().map_or_else(String::new, |reason| format!("; {reason}"));
        let source = format!("built in, of {} ({}){instead}", table.library, table.measured);
        Measured { model: Model::new(table), source, is_own: false, refused }
    }
}

/// A table; `None` where there is no file.
fn read(file: &Path, origin: Origin) -> Result<Option<Table>, String> {
    match commloom_guard::text(file, origin, LONGEST) {
        Ok(text) => text.parse::<Table>().map(Some).map_err(|error| error.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_choice::{Shape, Way};
    use commloom_layout::{Basic, Type, mpi};

    const KINDS: [AbiKind; 3] = [AbiKind::Mpich, AbiKind::OpenMpi, AbiKind::Standard];

    fn built_in(kind: AbiKind) -> Measured {
        Measured::of(kind, "a library that nobody has measured", &config(None, None))
    }

    /// The settings of an empty environment, with these files.
    fn config(model: Option<&Path>, models: Option<&Path>) -> Config {
        let [model, models] = [model, models].map(|path| path.map(Path::to_path_buf));
        Config { model, models, ..Config::from_lookup(|_| None) }
    }

    fn int() -> Type {
        Type::leaf(Basic::INT)
    }

    fn tiled(bytes: u64, a: u64, b: i64) -> Type {
        mpi::vector(bytes / (4 * a), a, b, &int()).unwrap()
    }

    fn way(kind: AbiKind, user: &Type) -> Way {
        built_in(kind).model.choose(&Shape::of(1, user, user, user)).way()
    }

    #[test]
    fn what_is_built_in_can_be_read() {
        for kind in KINDS {
            let measured = built_in(kind);
            assert!(!measured.model.table().library.is_empty(), "{kind}");
            assert!(measured.source.starts_with("built in"), "{}", measured.source);
        }
    }

    #[test]
    fn contiguous_messages_are_left_alone() {
        let t = mpi::contiguous(100_000, &int()).unwrap();
        for kind in KINDS {
            assert_eq!(way(kind, &t), Way::Native);
        }
    }

    #[test]
    fn short_messages_are_packed_under_both_libraries() {
        for kind in [AbiKind::Mpich, AbiKind::OpenMpi] {
            assert_eq!(way(kind, &tiled(3200, 2, 4)), Way::Engine, "{kind}");
        }
    }

    #[test]
    fn long_vectors_of_small_blocks_are_not_left_to_the_libraries() {
        for kind in [AbiKind::Mpich, AbiKind::OpenMpi] {
            assert_ne!(way(kind, &tiled(256_000, 2, 4)), Way::Native, "{kind}");
        }
    }

    #[test]
    fn open_mpi_gets_blocks_that_touch_as_one_element() {
        // Blocks of 9 and 11 of which the second touches the next first one: runs of 20.
        let n = 32_000;
        let unit = mpi::indexed(&[9, 11], &[0, 11], &int()).unwrap();
        let unit = mpi::resized(0, 88, &unit).unwrap();
        let normal = mpi::contiguous(n, &unit).unwrap();
        let middle = mpi::vector(n - 1, 20, 22, &int()).unwrap();
        let parts = [int(), middle, int()];
        let last = 88 * (i64::try_from(n).unwrap() - 1) + 44;
        let joined = mpi::structure(&[9, 1, 11], &[0, 44, last], &parts).unwrap();
        let shape = Shape::of(n, &unit, &normal, &joined);
        let way = |kind| built_in(kind).model.choose(&shape).way();
        assert_eq!(way(AbiKind::OpenMpi), Way::Whole);
        assert_ne!(way(AbiKind::Mpich), Way::Whole);
    }

    #[test]
    fn long_lists_are_packed_under_mpich() {
        let displacements: Vec<i64> = (0..64_000).map(|i| i * 4 + i % 3).collect();
        let blocks: Vec<u64> = (0..64_000).map(|i| 1 + i % 2).collect();
        let t = mpi::indexed(&blocks, &displacements, &int()).unwrap();
        assert_eq!(way(AbiKind::Mpich, &t), Way::Engine);
    }

    #[test]
    fn a_file_that_is_named_is_used_and_one_that_is_no_table_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let file = folder.join("model.txt");
        std::fs::write(&file, OPEN_MPI).unwrap();
        let measured = Measured::of(AbiKind::Mpich, "any", &config(Some(&file), None));
        assert!(measured.model.table().library.starts_with("Open MPI"));
        std::fs::write(&file, "nothing").unwrap();
        let measured = Measured::of(AbiKind::Mpich, "any", &config(Some(&file), None));
        assert!(measured.source.contains("is not used: line 1"), "{}", measured.source);
        std::fs::remove_file(&file).unwrap();
        let measured = Measured::of(AbiKind::Mpich, "any", &config(Some(&file), None));
        assert!(measured.source.contains("is not there"), "{}", measured.source);
        // By the version of the library, in the user's folder.
        std::fs::write(folder.join("messages-mpich-version-9.txt"), OPEN_MPI).unwrap();
        let config = config(None, Some(folder));
        let measured = Measured::of(AbiKind::Mpich, "MPICH Version:   9\nmore", &config);
        assert!(measured.model.table().library.starts_with("Open MPI"), "{}", measured.source);
    }

    /// Files that somebody else may put where the cache is looked for.
    #[test]
    fn what_was_planted_in_the_cache_is_named_and_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, name) = (folder.path(), "messages-mpich-version-9.txt");
        let (file, other) = (folder.join(name), folder.join("other"));
        let config = config(None, Some(folder));
        let refused = |reason: &str| {
            let measured = Measured::of(AbiKind::Mpich, "MPICH Version: 9", &config);
            let said = measured.refused.expect("it is named");
            assert!(said.contains(name) && said.contains(reason), "{said}");
            assert!(measured.source.starts_with("built in"), "{}", measured.source);
            let path = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
            // SAFETY: a path that ends with zero.
            assert_eq!(unsafe { libc::unlink(path.as_ptr()) }, 0, "{reason}");
        };
        std::fs::write(&other, OPEN_MPI).unwrap();
        std::os::unix::fs::symlink(&other, &file).unwrap();
        refused("it is a link");
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        refused("it is a link");
        let path = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
        // SAFETY: a path that ends with zero.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        refused("it is no regular file");
        // Longer than any table: by its end only, which nobody reads.
        std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
        refused("it is longer than");
        std::fs::write(&file, b"\xff").unwrap();
        refused("it is not UTF-8");
        std::fs::write(&file, "# commloom message times, version 1\nvector one\x1b[2J").unwrap();
        refused("line 2");
        std::fs::write(&file, OPEN_MPI).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        std::fs::set_permissions(&file, mode).unwrap();
        refused("everybody can write it");
        let measured = Measured::of(AbiKind::Mpich, "MPICH Version: 9", &config);
        assert_eq!(measured.refused, None, "there is no such file");
    }
}
