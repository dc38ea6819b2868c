from .sum_export import export_series as export_series
from .sum_plan import plan as plan
from .sum_solution import SumSolution as SumSolution
from .sum_solving import find_solution as find_solution
from .sum_solving import solve as solve
from .sum_store import open_solution as open_solution
from .sum_verify import verify as verify
