"""Draw boards, trees and graphs with matplotlib, in one style."""
