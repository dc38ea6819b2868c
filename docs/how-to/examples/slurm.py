"""Workers in jobs of SLURM, for ``--dask slurm.py:workers``; PBS, LSF, SGE and OAR have classes like this one."""

from dask_jobqueue.slurm import SLURMCluster
from distributed import Client


def workers() -> Client:
    cluster = SLURMCluster(
        queue="normal",  # your partition
        cores=32,
        processes=32,  # one thread each
        memory="64GB",  # of the whole job
        walltime="12:00:00",
        worker_extra_args=["--memory-limit", "0"],
        job_script_prologue=["export DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False"],
    )
    cluster.scale(jobs=8)  # or cluster.adapt(maximum_jobs=8)
    return Client(cluster)
