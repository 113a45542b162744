! Types that are committed at known lines and sent from rank 0 to rank 1, in the binding that a macro
! chooses. The test looks for the marks in this file.
#if defined(USE_MPI_F08)
#define HANDLE type(MPI_Datatype)
#else
#define HANDLE integer
#endif

subroutine make_vector(datatype, place)
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if defined(MPIF_H)
    include 'mpif.h'
#endif
    HANDLE :: datatype
    integer :: place, ierror, ierrors(3)
    call MPI_Type_vector(300, 2, 5, MPI_INTEGER, datatype, ierror)
    ! An element: gfortran 12 gives calls whose arguments are all at hand the line of the subroutine.
    call MPI_Type_commit(datatype, ierrors(place)) ! mark: vector
    if (ierrors(place) /= MPI_SUCCESS) stop 1
end subroutine

program report
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if defined(MPIF_H)
    include 'mpif.h'
#endif
    HANDLE :: vector
    integer :: memory(4000), rank, ierror, i

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    memory = 0
    call make_vector(vector, 2)
    do i = 1, 20
        if (rank == 0) then
            call MPI_Send(memory, 1, vector, 1, 0, MPI_COMM_WORLD, ierror)
        else
            call MPI_Recv(memory, 1, vector, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        end if
    end do
    call MPI_Finalize(ierror)
end program
