subroutine campaign_bottom()
  include 'mpif.h'
  external campaign_set_bottom
  call campaign_set_bottom(mpi_bottom)
end subroutine
