// SPDX-License-Identifier: MIT
#include "graph/largest_batch.h"

#include <algorithm>
#include <utility>

namespace strata {

namespace {

// A batch and the memory it needs.
struct Probe {
    std::int64_t batch = 0;
    Bytes peak;
};

// The batch at which the line through two probes reaches the limit; nothing if the line does not
// rise.
std::optional<std::int64_t> on_line(const Probe& a, const Probe& b, Bytes limit) {
    const Bytes growth = b.peak - a.peak;
    if (a.batch == b.batch || !(growth > Bytes{0})) {
        return std::nullopt;
    }
    const double more = (limit - b.peak) / growth * static_cast<double>(b.batch - a.batch);
    const double batch = static_cast<double>(b.batch) + more;
    return static_cast<std::int64_t>(std::min(batch, static_cast<double>(largest_batch_tried)));
}

}  // namespace

std::optional<LargestBatch> largest_batch(const PeakAtBatch& peak, Bytes memory) {
    const auto first = peak(1);
    if (!first) {
        return std::nullopt;
    }
    if (*first > memory) {
        return LargestBatch{.batch = 0, .needs = *first, .limit = BatchLimit::memory};
    }
    Probe before{1, *first}, fits = before;
    std::int64_t too_many = largest_batch_tried + 1;
    BatchLimit limit = BatchLimit::none;
    for (std::int64_t stride = 1; too_many - fits.batch > 1;) {
        std::int64_t next = on_line(before, fits, memory).value_or(0);
        if (next <= fits.batch ||
            next >= too_many) {  // the line does not help: use ever wider strides
            const std::int64_t half = std::max<std::int64_t>(1, (too_many - fits.batch) / 2);
            next = fits.batch + std::min(stride, half);
            stride *= 2;
        }
        const auto needed = peak(next);
        if (needed && *needed <= memory) {
            before = std::exchange(fits, Probe{next, *needed});
        } else {
            too_many = next;
            limit = needed ? BatchLimit::memory : BatchLimit::network;
        }
    }
    return LargestBatch{.batch = fits.batch, .needs = fits.peak, .limit = limit};
}

}  // namespace strata
