"""Nim with heaps of 1, 2 and 3; the state is a dictionary, and the moves are lists."""


def initial_state():
    return {"heaps": [1, 2, 3], "player": 0}


def player(state):
    return state["player"]


def actions(state):
    return [[heap, n] for heap, size in enumerate(state["heaps"]) for n in range(1, size + 1)]


def result(state, action):
    heap, n = action
    state["heaps"][heap] -= n
    state["player"] = 1 - state["player"]
    print("player", state["player"], "to move")
    return state


def terminal(state):
    return sum(state["heaps"]) == 0


def winner(state):
    return 1 - state["player"] if terminal(state) else None
