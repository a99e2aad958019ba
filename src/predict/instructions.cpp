// SPDX-License-Identifier: MIT
#include "predict/instructions.h"

#include <cmath>

namespace strata {

namespace {

constexpr double threads_of_warp = 32;
constexpr double elements_of_vector = 4;  // in a load or store of 16 bytes
constexpr double others_of_step = 6;      // of a warp: the loop and shared-memory addresses

// Sums per thread, as square as the tile allows: 8 x 8 for 128 x 128 by 256 threads.
struct ThreadTile {
    double m, n;
};
ThreadTile thread_tile(const BlockTile& tile) {
    const double sums = static_cast<double>(tile.m) * tile.n / (threads_of_warp * tile.warps);
    const double m = std::exp2(std::ceil(std::log2(std::fmax(1, sums)) / 2));
    return {m, sums / m};
}

}  // namespace

Instructions& Instructions::operator+=(const Instructions& more) {
    multiply_adds += more.multiply_adds;
    shared_loads += more.shared_loads;
    shared_stores += more.shared_stores;
    global_loads += more.global_loads;
    global_stores += more.global_stores;
    barriers += more.barriers;
    other += more.other;
    return *this;
}

Instructions& Instructions::operator*=(double factor) {
    multiply_adds *= factor;
    shared_loads *= factor;
    shared_stores *= factor;
    global_loads *= factor;
    global_stores *= factor;
    barriers *= factor;
    other *= factor;
    return *this;
}

Instructions instructions_of_step(const BlockTile& tile) {
    const ThreadTile thread = thread_tile(tile);
    const double elements = static_cast<double>(tile.m + tile.n) * tile.k;
    const double loads = elements / threads_of_warp / (tile.is_gathered ? 1 : elements_of_vector);
    return {.multiply_adds = static_cast<double>(tile.m) * tile.n * tile.k / threads_of_warp,
            .shared_loads = tile.warps * tile.k * (thread.m + thread.n) / elements_of_vector,
            .shared_stores = loads,
            .global_loads = loads,
            .barriers = static_cast<double>(tile.warps),
            .other = others_of_step * tile.warps + (tile.is_gathered ? loads : 0)};
}

Instructions instructions_of_epilogue(const BlockTile& tile) {
    const double results = static_cast<double>(tile.m) * tile.n / threads_of_warp;
    return {.multiply_adds = results,
            .global_stores = results / (tile.is_gathered ? 1 : elements_of_vector),
            .other = others_of_step * tile.warps};
}

Instructions instructions_of_stream(double elements_read, double elements_written) {
    constexpr double others_of_element = 2;
    return {.multiply_adds = elements_read / threads_of_warp,
            .global_loads = elements_read / threads_of_warp,
            .global_stores = elements_written / threads_of_warp,
            .other = others_of_element * (elements_read + elements_written) / threads_of_warp};
}

}  // namespace strata
