"""Dots and boxes on two boxes: who completes a box moves again, and boxes are the score."""

BOXES = ((0, 1, 2, 3), (3, 4, 5, 6))


class DotsAndBoxes:
    initial = ((False,) * 7, 0, "MAX")

    def actions(self, state):
        return [edge for edge, drawn in enumerate(state[0]) if not drawn]

    def result(self, state, move):
        drawn, margin, player = state
        after = tuple(done or edge == move for edge, done in enumerate(drawn))
        gained = sum(all(after[e] for e in box) and not all(drawn[e] for e in box) for box in BOXES)
        sign = 1 if player == "MAX" else -1
        return after, margin + sign * gained, player if gained else ("MIN" if player == "MAX" else "MAX")

    def utility(self, state, player):
        return state[1] if player == "MAX" else -state[1]

    def is_terminal(self, state):
        return all(state[0])

    def to_move(self, state):
        return state[2]
