// Classes of positions on 5 x 5 with five in a row that X wins, that O wins, and ties, for one ply near the end, by brute
// force: every pair of sets of cells, kept if no symmetry makes it smaller, and played to the end by plain minimax. It
// shares nothing with won_classes.py but what a position is. g++ -O3 -o won won_classes.cpp && ./won 22
#include <cstdint>
#include <cstdio>
#include <cstdlib>

constexpr int N = 5, CELLS = N * N;
using Set = uint32_t;

Set lines[2 * N + 2];
Set turned[8][4][256];  // symmetry, byte of a set, value of the byte

int cell_under(int symmetry, int cell) {
    int row = cell / N, column = cell % N;
    if (symmetry & 1) row = N - 1 - row;
    if (symmetry & 2) column = N - 1 - column;
    return symmetry & 4 ? column * N + row : row * N + column;
}

void prepare() {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            lines[i] |= 1u << (i * N + j);
            lines[N + i] |= 1u << (j * N + i);
        }
        lines[2 * N] |= 1u << (i * N + i);
        lines[2 * N + 1] |= 1u << (i * N + N - 1 - i);
    }
    for (int symmetry = 0; symmetry < 8; symmetry++)
        for (int part = 0; part < 4; part++)
            for (int value = 0; value < 256; value++)
                for (int bit = 0; bit < 8; bit++)
                    if (value >> bit & 1 && 8 * part + bit < CELLS)
                        turned[symmetry][part][value] |= 1u << cell_under(symmetry, 8 * part + bit);
}

Set under(int symmetry, Set set) {
    auto &table = turned[symmetry];
    return table[0][set & 255] | table[1][set >> 8 & 255] | table[2][set >> 16 & 255] | table[3][set >> 24];
}

bool full(Set set) {
    for (Set line : lines)
        if ((set & line) == line) return true;
    return false;
}

// Whether one move can have completed every full line of a set.
bool by_one_move(Set set) {
    Set common = set;
    for (Set line : lines)
        if ((set & line) == line) common &= line;
    return common != 0;
}

// +1 if whoever is to move wins, who has `own`; -1 if the other does; 0 for a tie.
int minimax(Set own, Set other) {
    if (full(other)) return -1;
    Set empty = ~(own | other) & ((1u << CELLS) - 1);
    if (!empty) return 0;
    int best = -1;
    for (; empty; empty &= empty - 1) {
        int value = -minimax(other, own | (empty & -empty));
        if (value > best) best = value;
        if (best == 1) break;
    }
    return best;
}

Set next_of_same_size(Set set) {
    Set low = set & -set, up = set + low;
    return up | ((set ^ up) >> 2) / low;
}

int main(int count, char **given) {
    int ply = count > 1 ? atoi(given[1]) : CELLS, x_size = (ply + 1) / 2, o_size = ply / 2;
    if (o_size < 1 || ply > CELLS) return 1;
    prepare();
    int64_t classes[3] = {0, 0, 0};  // X, O, tie
    for (Set x = (1u << x_size) - 1; x < 1u << CELLS; x = next_of_same_size(x)) {
        Set free[CELLS];
        int cells = 0;
        for (int cell = 0; cell < CELLS; cell++)
            if (!(x >> cell & 1)) free[cells++] = 1u << cell;
        bool x_full = full(x), x_moved = ply & 1;
        if (x_full && (!x_moved || !by_one_move(x))) continue;
        for (uint64_t chosen = (1u << o_size) - 1; chosen < 1u << cells; chosen = next_of_same_size(chosen)) {
            Set o = 0;
            for (Set rest = chosen; rest; rest &= rest - 1) o |= free[__builtin_ctz(rest)];
            uint64_t pair = (uint64_t)x << 32 | o;
            bool least = true;
            for (int symmetry = 1; symmetry < 8 && least; symmetry++)
                least = ((uint64_t)under(symmetry, x) << 32 | under(symmetry, o)) >= pair;
            if (!least) continue;
            bool o_full = full(o);
            if (o_full && (x_full || x_moved || !by_one_move(o))) continue;
            int value = x_full ? 1 : o_full ? -1 : x_moved ? -minimax(o, x) : minimax(x, o);
            classes[value > 0 ? 0 : value < 0 ? 1 : 2]++;
        }
    }
    printf("%d: %lld %lld %lld\n", ply, (long long)classes[0], (long long)classes[1], (long long)classes[2]);
}
