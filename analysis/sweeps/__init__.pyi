from .citing import cite as cite
from .compare import Comparison as Comparison
from .compare import Difference as Difference
from .compare import compare_sweeps as compare_sweeps
from .picture import plot_sweep as plot_sweep
from .sweep import Sweep as Sweep
from .sweep import read_sweep as read_sweep
from .sweep import sweep as sweep
