from .api import SearchResult as SearchResult
from .api import alphabeta as alphabeta
from .api import minimax as minimax
from .catalogue import Settings as Settings
from .laboratory import Laboratory as Laboratory
from .tree_files import parse_tree as parse_tree
from .tree_files import read_tree as read_tree
from .visits import Visit as Visit
