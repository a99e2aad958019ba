// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata::cpu {

// A tensor's layout as tables: for each axis and index, an offset in elements. An element's
// position is the sum of the offsets over all axes, blocks included.
using AxisOffsets = std::vector<std::vector<std::int64_t>>;

// A copy between two tensors of any layouts, planned once. For a box-shaped result, both positions
// of an element are sums of one table entry per axis. Elements that are adjacent on both sides are
// copied together.
class Movement {
public:
    // Requires: tables with the same extents; elements of 1, 2 or 4 bytes.
    Movement(const AxisOffsets& from, const AxisOffsets& to, std::size_t element_bytes);

    // Requires: the addresses that the tables' offsets start from; the tensors do not overlap.
    void operator()(const void* from, void* to) const;

private:
    // `length` elements whose positions advance by constant steps; a step of 0 repeats one element.
    struct Run {
        std::int64_t from = 0;
        std::int64_t to = 0;
        std::int64_t length = 1;
        std::int64_t from_step = 0;
        std::int64_t to_step = 0;
    };
    // An axis of the outer loops around the runs.
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

// Sets memory to zero, using all threads.
void clear(void* memory, std::size_t bytes);

}  // namespace strata::cpu
