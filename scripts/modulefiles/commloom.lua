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
-- `man` finds the pages from here: a MANPATH of ours alone would hide those of the system.
prepend_path("PATH", pathJoin(prefix, "bin"))
