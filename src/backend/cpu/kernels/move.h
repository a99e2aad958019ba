// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata::cpu {

// Where elements lie: by axis and index along it, so many elements behind the first; the place of
// an element is the sum over the axes, blocks included.
using AxisOffsets = std::vector<std::vector<std::int64_t>>;

// A copy of elements between two tensors of any layouts, planned once: what the elements of one
// box-shaped result have in common is that both places are sums of one table entry for each axis.
// Neighbours that are neighbours on both sides are copied together.
class Movement {
public:
    // Requires: tables of the same extents; elements of 1, 2 or 4 bytes.
    Movement(const AxisOffsets& from, const AxisOffsets& to, std::size_t element_bytes);

    // Requires: addresses of the tensors that the tables count from; they do not overlap.
    void operator()(const void* from, void* to) const;

private:
    // `length` elements whose places advance evenly; a step of 0 repeats one of them.
    struct Run {
        std::int64_t from = 0;
        std::int64_t to = 0;
        std::int64_t length = 1;
        std::int64_t from_step = 0;
        std::int64_t to_step = 0;
    };
    // An axis that is walked around the runs.
    struct Axis {
        std::vector<std::int64_t> from;
        std::vector<std::int64_t> to;
    };
    struct Cursor;

    static void append(std::vector<Run>& runs, const Run& next);
    static std::vector<Run> repeated_along(const Axis& axis, const std::vector<Run>& runs);
    void merge_axes();
    void cut_long_runs();
    std::int64_t row_count() const;
    template <class Element>
    void copy_runs(const Element* from, Element* to) const;

    std::vector<Axis> axes_;  // outermost first
    std::vector<Run> runs_;
    std::size_t element_bytes_ = 4;
};

// Sets memory to zero, all threads together.
void clear(void* memory, std::size_t bytes);

}  // namespace strata::cpu
