//! The MPI ABIs for which there is a preload.

use std::fmt;

use clap::ValueEnum;
use commloom_environment::Started;

/// A binary interface that MPI libraries share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Abi {
    /// MPICH and its relatives: Intel MPI, Cray MPI, MVAPICH
    Mpich,
    /// Open MPI 4 and 5
    Openmpi,
    /// The standard ABI of MPI 5
    #[value(name = "abi")]
    Standard,
}

impl Abi {
    /// The ABI of a shared library, by its soname.
    pub fn of_library(soname: &str) -> Option<Abi> {
        match soname {
            "libmpich.so.12" | "libmpi.so.12" => Some(Abi::Mpich),
            "libmpi.so.40" => Some(Abi::Openmpi),
            _ if soname.starts_with("libmpi_abi.so.") => Some(Abi::Standard),
            _ => None,
        }
    }

    /// The ABI that a launcher's own library has; `None` of launchers that start programs of all
    /// libraries.
    pub fn of_launcher(started: &Started) -> Option<Abi> {
        match started.by {
            "Open MPI" => Some(Abi::Openmpi),
            "MPICH or Intel MPI" | "MVAPICH" | "Cray PALS" => Some(Abi::Mpich),
            _ => None,
        }
    }

    /// File name of the preload.
    pub fn preload(self) -> &'static str {
        match self {
            Abi::Mpich => "libcommloom_mpich.so",
            Abi::Openmpi => "libcommloom_openmpi.so",
            Abi::Standard => "libcommloom_abi.so",
        }
    }
}

impl fmt::Display for Abi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Abi::Mpich => "mpich",
            Abi::Openmpi => "openmpi",
            Abi::Standard => "abi",
        })
    }
}
