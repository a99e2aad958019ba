// SPDX-License-Identifier: MIT
#include "backend/cuda/cache_preparation.h"

#include "backend/cuda/kernels/streams.h"

#include <array>

namespace strata::cuda {

namespace {

// Assumed if a device does not report its cache size; no GPU has more.
constexpr std::int64_t largest_cache = std::int64_t{128} << 20U;

std::size_t bytes_to_read(const DeviceProperties& device) {
    const std::int64_t cache = device.l2_bytes > 0 ? device.l2_bytes : largest_cache;
    return static_cast<std::size_t>(2 * cache);
}

}  // namespace

CachePreparation::CachePreparation(CacheState state, Machine& machine)
    : state_(state), machine_(&machine) {
    if (state == CacheState::cold) {
        const std::size_t read = bytes_to_read(machine.properties());
        bytes_ = read + sizeof(float);
        memory_ = machine.allocate(bytes_);
        never_written_ = static_cast<std::byte*>(memory_.get()) + read;
        const auto elements = static_cast<std::int64_t>(read / sizeof(float)) / 16 * 16;
        reading_ = {stream(StreamPattern::read, elements, 1), {}};
    }
}

void CachePreparation::enqueue(const std::function<void()>& enqueue_step) const {
    switch (state_) {
        case CacheState::as_left:
            break;
        case CacheState::cold:
            machine_->enqueue(reading_, std::array<void*, 2>{memory_.get(), never_written_});
            break;
        case CacheState::warm:
            enqueue_step();
            break;
    }
}

}  // namespace strata::cuda
