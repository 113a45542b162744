-- commloom @VERSION@ for Lmod. Tells from its own place where commloom is: put the folder
-- PREFIX/share/commloom/modulefiles into MODULEPATH. Where this file is copied elsewhere, set `prefix`.
local prefix = myFileName():gsub("/share/commloom/modulefiles/.*$", "")

help([[
commloom @VERSION@ makes MPI derived datatypes of unchanged programs fast:
    mpirun -n 4 commloom exec -- ./app
    mpirun -n 4 commloom exec --report report.html -- ./app
]])
whatis("Name: commloom")
whatis("Version: @VERSION@")
whatis("Description: faster MPI derived datatypes for unchanged programs")

conflict("commloom")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
