//! `libcommloom_abi.so`: preloaded into programs that use the MPI-5 standard ABI.

commloom_interpose::preload!(commloom_interpose::reexport::Standard, mpi_4);
