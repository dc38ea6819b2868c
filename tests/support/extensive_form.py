"""Extensive forms in Gambit's file format, read by OpenSpiel."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pyspiel


@dataclasses.dataclass(eq=False)
class Node:
    """A node as OpenSpiel plays it."""

    text: str
    """Its label; where the game is over, a space and the label of the outcome follow."""
    player: int | None
    """0 or 1; None where the game is over."""
    information: str
    actions: list[str]
    codes: list[int]
    """OpenSpiel's numbers of the actions."""
    payoffs: tuple[int, int] | None
    children: list[Node]


@dataclasses.dataclass(frozen=True)
class ExtensiveForm:
    """A game, and all of its nodes, parents first."""

    game: pyspiel.Game
    nodes: list[Node]

    @property
    def root(self) -> Node:
        return self.nodes[0]

    def values(self) -> dict[Node, int]:
        """The first player's payoff in every node by backward induction."""
        values: dict[Node, int] = {}
        for node in reversed(self.nodes):
            best = min if node.player else max
            values[node] = node.payoffs[0] if node.payoffs else best(values[child] for child in node.children)
        return values

    def nash_conv(self) -> float:
        """What best responses win in all against play by backward induction, by OpenSpiel's own search: 0 where that
        play is an equilibrium.
        """
        values, policy = self.values(), {}
        for node in self.nodes:
            if node.payoffs is None:
                best = [values[child] for child in node.children].index(values[node])
                policy[node.information] = [(code, float(i == best)) for i, code in enumerate(node.codes)]
        return pyspiel.nash_conv(self.game, pyspiel.TabularPolicy(policy))


def read(text: bytes) -> ExtensiveForm:
    """The extensive form that a file with this text holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "game.efg")
        path.write_bytes(text)
        game = pyspiel.load_game(f"efg_game(filename={path})")
    start = game.new_initial_state()
    nodes, left = [_node(start)], [start]
    for node, state in zip(nodes, left, strict=False):  # both grow as it goes
        left += [state.child(action) for action in state.legal_actions()] if node.payoffs is None else []
        node.children += [_node(child) for child in left[len(nodes) :]]
        nodes += node.children
    return ExtensiveForm(game, nodes)


def _node(state: pyspiel.State) -> Node:
    text = str(state).rstrip("\n").partition(": ")[2].partition(": ")[2]
    if state.is_terminal():
        first, second = map(int, state.returns())
        return Node(text.removesuffix(f" {first} {second}"), None, "", [], [], (first, second), [])
    player, information = state.current_player(), state.information_state_string()
    actions = [state.action_to_string(player, action) for action in state.legal_actions()]
    label = text.removesuffix(" ".join(actions)).rstrip()  # then follow the player, and number and name of the set
    return Node(label.rsplit(" ", 2)[0], player, information, actions, state.legal_actions(), None, [])
