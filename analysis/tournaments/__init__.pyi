from .ratings import Rating as Rating
from .ratings import elo_ratings as elo_ratings
from .ratings import pair_ratio as pair_ratio
from .tournament import Tournament as Tournament
from .tournament import TournamentTerms as TournamentTerms
from .tournament import play_tournament as play_tournament
from .tournament import read_tournament as read_tournament
