#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv){
  static int buf[16], all[4], out[64], in[64];
  int r,p; MPI_Init(&argc,&argv); MPI_Comm_rank(MPI_COMM_WORLD,&r); MPI_Comm_size(MPI_COMM_WORLD,&p);
  for(int it=0;it<3;it++){
    /* a binomial broadcast from 0 */
    for(int k=1;k<p;k*=2){ if(r<k && r+k<p) MPI_Send(buf,16,MPI_INT,r+k,0,MPI_COMM_WORLD); else if(r>=k && r<2*k) MPI_Recv(buf,16,MPI_INT,r-k,0,MPI_COMM_WORLD,MPI_STATUS_IGNORE);}    
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /* an exchange with all others */
  MPI_Request q[8]; int n=0;
  for(int d=1;d<p;d++){ int o=(r+d)%p; MPI_Irecv(in+4*o,4,MPI_INT,o,1,MPI_COMM_WORLD,&q[n++]); }
  for(int d=1;d<p;d++){ int o=(r+d)%p; MPI_Isend(out+4*o,4,MPI_INT,o,1,MPI_COMM_WORLD,&q[n++]); }
  MPI_Waitall(n,q,MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  /* a ring allgather */
  all[r]=r;
  for(int s=0;s<p-1;s++) MPI_Sendrecv(&all[(r-s+p)%p],1,MPI_INT,(r+1)%p,2,&all[(r-s-1+p)%p],1,MPI_INT,(r-1+p)%p,2,MPI_COMM_WORLD,MPI_STATUS_IGNORE);
  MPI_Bcast(buf,1,MPI_INT,0,MPI_COMM_WORLD);
  MPI_Finalize(); return 0; }
