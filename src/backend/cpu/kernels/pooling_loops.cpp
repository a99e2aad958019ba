// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/pooling_loops.h"

#include "backend/cpu/kernels/isa.h"

#include <algorithm>
#include <limits>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

STRATA_EACH_ISA void take_larger(const float* x, Index count, float* largest) {
    for (Index i = 0; i < count; ++i) {
        largest[i] = x[i] > largest[i] ? x[i] : largest[i];
    }
}

STRATA_EACH_ISA void take_larger_at(std::int32_t place, const float* x, Index count, float* largest,
                                    std::int32_t* places) {
    for (Index i = 0; i < count; ++i) {
        const bool is_larger = x[i] > largest[i];
        largest[i] = is_larger ? x[i] : largest[i];
        places[i] = is_larger ? place : places[i];
    }
}

STRATA_EACH_ISA void add_where(std::int32_t place, const float* dy, const std::int32_t* places,
                               Index count, float* dx) {
    for (Index i = 0; i < count; ++i) {
        dx[i] += places[i] == place ? dy[i] : 0.0F;
    }
}

// Calls use(place, offset) for each tap of window (row, column) that lies inside a plane.
template <class Use>
void for_each_tap(const MaximumWindows& windows, Index row, Index column, Use&& use) {
    const MaximumAxis &rows = windows.rows, &columns = windows.columns;
    for (Index r = 0; r < rows.kernel; ++r) {
        const Index h = rows.position(row, r);
        if (!rows.is_inside(h)) {
            continue;
        }
        for (Index s = 0; s < columns.kernel; ++s) {
            const Index w = columns.position(column, s);
            if (columns.is_inside(w)) {
                use(static_cast<std::int32_t>(r * columns.kernel + s),
                    (h * columns.input + w) * windows.images);
            }
        }
    }
}

void maximum_of_window(const MaximumWindows& windows, Index row, Index column, const float* plane,
                       float* y, std::int32_t* places) {
    const Index images = windows.images;
    bool begins = true;
    std::fill_n(y, images, std::numeric_limits<float>::lowest());
    if (places != nullptr) {
        std::fill_n(places, images, -1);
    }
    for_each_tap(windows, row, column, [&](std::int32_t place, Index offset) {
        const float* x = plane + offset;
        if (begins) {
            begins = false;
            std::copy_n(x, images, y);
            if (places != nullptr) {
                std::fill_n(places, images, place);
            }
        } else if (places != nullptr) {
            take_larger_at(place, x, images, y, places);
        } else {
            take_larger(x, images, y);
        }
    });
}

}  // namespace

void maxima(const MaximumWindows& windows, const float* x, float* y, std::int32_t* places) {
    const MaximumAxis &rows = windows.rows, &columns = windows.columns;
    const Index images = windows.images;
    const Index plane = rows.input * columns.input * images;
#pragma omp parallel for collapse(2) schedule(static)
    for (Index c = 0; c < windows.channels; ++c) {
        for (Index row = 0; row < rows.output; ++row) {
            for (Index column = 0; column < columns.output; ++column) {
                const Index at = ((c * rows.output + row) * columns.output + column) * images;
                maximum_of_window(windows, row, column, x + c * plane, y + at,
                                  places == nullptr ? nullptr : places + at);
            }
        }
    }
}

void maxima_gradient(const MaximumWindows& windows, const float* dy, const std::int32_t* places,
                     float* dx) {
    const MaximumAxis &rows = windows.rows, &columns = windows.columns;
    const Index images = windows.images;
    const Index plane = rows.input * columns.input * images;
#pragma omp parallel for schedule(static)
    for (Index c = 0; c < windows.channels; ++c) {
        std::fill_n(dx + c * plane, plane, 0.0F);
        for (Index row = 0; row < rows.output; ++row) {
            for (Index column = 0; column < columns.output; ++column) {
                const Index at = ((c * rows.output + row) * columns.output + column) * images;
                for_each_tap(windows, row, column, [&](std::int32_t place, Index offset) {
                    add_where(place, dy + at, places + at, images, dx + c * plane + offset);
                });
            }
        }
    }
}

}  // namespace strata::cpu
