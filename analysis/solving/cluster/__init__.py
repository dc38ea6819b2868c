"""Work on a cluster with Dask, which only this package imports."""
