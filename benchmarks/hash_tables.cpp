// Connect-Four on 5 x 5 up to reflection, solved the plain way: one open-addressing hash table a ply, filled forward and
// read backward, with prefetches in batches. Prints classes, moves, value, remoteness and processor seconds.
//
// A column has 6 bits: the highest that is set marks its height, and those below are stones of the first player.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

using u64 = std::uint64_t;
using std::vector;

constexpr int ROWS = 5, COLS = 5, HEIGHT = ROWS + 1, BATCH = 256;

constexpr u64 level(int height) {
    u64 bits = 0;
    for (int c = 0; c < COLS; c++) bits |= 1ULL << (c * HEIGHT + height);
    return bits;
}
constexpr u64 within(int shift) {  // bits that stay in their column when they are moved down
    u64 bits = 0;
    for (int height = 0; height + shift < HEIGHT; height++) bits |= level(height);
    return bits;
}
constexpr u64 BOTTOM = level(0), TOP = level(ROWS), BOARD = TOP - BOTTOM, COLUMN = (1ULL << HEIGHT) - 1;

inline u64 filled(u64 s) {  // each column's mark and all below it
    s |= s >> 1 & within(1);
    s |= s >> 2 & within(2);
    return s | (s >> 4 & within(4));
}
inline bool has_line(u64 marks) {
    for (int step : {1, HEIGHT - 1, HEIGHT, HEIGHT + 1}) {
        u64 pairs = marks & marks >> step;
        if (pairs & pairs >> 2 * step) return true;
    }
    return false;
}
inline u64 mirrored(u64 s) {
    return (s & COLUMN) << 24 | (s & COLUMN << 6) << 12 | (s & COLUMN << 12) | (s >> 12 & COLUMN << 6) | s >> 24;
}

// Writes the children; returns how many, or -1 where the game is over, won by who has just moved or (tied) full.
inline int successors(u64 s, u64* children, int& payoff, int& mover) {
    u64 fill = filled(s), stones = fill >> 1 & BOARD;
    int odd = __builtin_popcountll(stones) & 1;
    mover = odd ? -1 : 1;
    if (has_line(odd ? s & stones : stones & ~s)) return payoff = -mover, -1;
    if ((s & TOP) == TOP) return payoff = 0, -1;
    int n = 0;
    for (int c = 0; c < COLS; c++) {
        if (s >> (c * HEIGHT + ROWS) & 1) continue;
        u64 mark = (fill ^ stones) & COLUMN << c * HEIGHT, child = odd ? s + mark : s + (mark << 1);
        children[n++] = std::min(child, mirrored(child));
    }
    return n;
}

inline u64 hash(u64 s) {
    s *= 0x9E3779B97F4A7C15;
    return (s ^ s >> 32) * 0xD6E8FEB86659FD93;
}

struct Table {  // a slot is the state plus one, and above it 16 bits that say what it is worth
    vector<u64> slots;
    int shift = 0;
    u64 count = 0;
    static constexpr u64 KEY = (1ULL << 40) - 1;

    explicit Table(u64 expected) { resize(expected); }
    void resize(u64 expected) {
        int bits = 4;
        while (1ULL << bits < 2 * expected) bits++;
        slots.assign(1ULL << bits, 0);
        shift = 64 - bits;
        count = 0;
    }
    u64 home(u64 key) const { return hash(key) >> shift; }
    u64* find(u64 key) {
        u64 at = home(key);
        while (slots[at] && (slots[at] & KEY) != key) at = (at + 1) & (slots.size() - 1);
        return &slots[at];
    }
    void reserve(u64 more) {
        if (2 * (count + more) <= slots.size()) return;
        vector<u64> old;
        old.swap(slots);
        u64 known = count;
        resize(2 * (known + more));
        count = known;
        for (u64 key : old) if (key) *find(key) = key;
    }
};

int main() {
    std::clock_t began = std::clock();
    vector<vector<u64>> tiers{{std::min(BOTTOM, mirrored(BOTTOM))}};
    u64 classes = 0, moves = 0, children[COLS], keys[BATCH * COLS];
    int payoff, mover;
    while (!tiers.back().empty()) {
        const vector<u64>& tier = tiers.back();
        classes += tier.size();
        Table table(2 * tier.size());
        vector<u64> next;
        for (size_t begin = 0; begin < tier.size(); begin += BATCH) {
            int n = 0;
            for (size_t i = begin; i < std::min(tier.size(), begin + BATCH); i++) {
                int more = successors(tier[i], children, payoff, mover);
                for (int j = 0; j < more; j++) keys[n++] = children[j] + 1;
            }
            moves += n;
            table.reserve(n);
            for (int j = 0; j < n; j++) __builtin_prefetch(&table.slots[table.home(keys[j])], 1);
            for (int j = 0; j < n; j++) {
                u64* slot = table.find(keys[j]);
                if (*slot) continue;
                *slot = keys[j];
                table.count++;
                next.push_back(keys[j] - 1);
            }
        }
        tiers.push_back(std::move(next));
    }
    double forward = double(std::clock() - began) / CLOCKS_PER_SEC;
    tiers.pop_back();
    Table below(1);
    u64 known[BATCH];
    int worth = 0, plies = 0;
    for (size_t ply = tiers.size(); ply-- > 0;) {
        const vector<u64>& tier = tiers[ply];
        Table table(tier.size());
        for (size_t begin = 0; begin < tier.size(); begin += BATCH) {
            int n = 0, size = int(std::min(tier.size() - begin, size_t(BATCH)));
            int counts[BATCH], movers[BATCH], payoffs[BATCH];
            for (int i = 0; i < size; i++) {
                counts[i] = successors(tier[begin + i], children, payoffs[i], movers[i]);
                for (int j = 0; j < counts[i]; j++) keys[n++] = children[j] + 1;
                __builtin_prefetch(&table.slots[table.home(tier[begin + i] + 1)], 1);
            }
            for (int j = 0; j < n; j++) __builtin_prefetch(&below.slots[below.home(keys[j])]);
            for (int i = 0, k = 0; i < size; i++) {
                int best = -1 << 30;
                for (int j = 0; j < counts[i]; j++) {
                    u64 found = *below.find(keys[k++]) >> 40;
                    int value = movers[i] * (int(found >> 16) - 1), rest = int(found & 65535);
                    best = std::max(best, value * 65536 + (value < 0 ? rest : 65535 - rest));
                }
                worth = counts[i] < 0 ? payoffs[i] : movers[i] * (best >> 16);
                plies = counts[i] < 0 ? 0 : 1 + (best < 0 ? best & 65535 : 65535 - (best & 65535));
                known[i] = u64(worth + 1) << 16 | u64(plies);
            }
            for (int i = 0; i < size; i++) {
                u64 key = tier[begin + i] + 1;
                *table.find(key) = key | known[i] << 40;
            }
        }
        below = std::move(table);
        tiers.pop_back();
    }
    double all = double(std::clock() - began) / CLOCKS_PER_SEC;
    std::printf("%llu %llu %d %d %.3f %.3f\n", (unsigned long long)classes, (unsigned long long)moves, worth, plies,
                forward, all);
}
