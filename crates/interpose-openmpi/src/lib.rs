//! `libcommloom_openmpi.so`: preloaded into programs that use Open MPI.

commloom_interpose::preload!(commloom_interpose::reexport::OpenMpi);
