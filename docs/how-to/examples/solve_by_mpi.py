"""Solve a game with MPI: ``mpiexec -n 65 python -m mpi4py.futures solve_by_mpi.py``."""

from mpi4py.futures import MPIPoolExecutor

import analysis

if __name__ == "__main__":
    with MPIPoolExecutor() as executor, analysis.running(executor=executor, workers=64):
        analysis.solve("connect:rows=6,cols=6,k=4", counts=False, directory="/shared/c66")
