"""Play trees and graphs, from networkx or as people and other programs write them."""
