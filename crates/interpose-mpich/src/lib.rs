//! `libcommloom_mpich.so`: preloaded into programs that use MPICH and its relatives.

commloom_interpose::preload!(commloom_interpose::reexport::Mpich, mpi_4);
