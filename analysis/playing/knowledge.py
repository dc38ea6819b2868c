"""What a perfect player knows: see `analysis.search.finding`."""

from ..search.finding import Knowledge as Knowledge
from ..search.finding import find_knowledge as find_knowledge
