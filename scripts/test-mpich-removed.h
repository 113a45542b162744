/* Included before MPICH's tests by scripts/test-mpich where the library is Open MPI: functions and
 * handles that MPI 3.0 removed, which Open MPI's header refuses although its library has them. */
#include <mpi.h>

#undef MPI_Address
#define MPI_Address MPI_Get_address
#undef MPI_Errhandler_create
#define MPI_Errhandler_create MPI_Comm_create_errhandler
#undef MPI_Errhandler_get
#define MPI_Errhandler_get MPI_Comm_get_errhandler
#undef MPI_Errhandler_set
#define MPI_Errhandler_set MPI_Comm_set_errhandler
#undef MPI_Type_hindexed
#define MPI_Type_hindexed MPI_Type_create_hindexed
#undef MPI_Type_hvector
#define MPI_Type_hvector MPI_Type_create_hvector
#undef MPI_Type_struct
#define MPI_Type_struct MPI_Type_create_struct

#undef MPI_Type_extent
#undef MPI_Type_lb
#undef MPI_Type_ub
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *bound);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *bound);

#undef MPI_LB
#undef MPI_UB
extern struct ompi_predefined_datatype_t ompi_mpi_lb, ompi_mpi_ub;
#define MPI_LB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_lb)
#define MPI_UB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_ub)
