"""Work on a cluster: the workers of a Dask scheduler, checked and looked after. Nothing else imports Dask."""
