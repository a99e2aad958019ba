// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/channels.h"
#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"

namespace strata::cuda {

// The parameters for the elements of a pack. If channels are innermost and fill packs, the
// parameters are adjacent; if all of a pack's elements belong to one channel, there is one;
// otherwise each element looks up its own.
class Channels {
public:
    explicit Channels(const ChannelPlace& place)
        : inner_(place.inner),
          channels_(place.channels),
          kind_(place.inner == 1 && place.channels % Pack::size == 0 ? Kind::beside
                : place.inner % Pack::size == 0                      ? Kind::same
                                                                     : Kind::apart) {}

    __device__ std::int64_t of(std::int64_t element) const {
        const std::int64_t row = inner_.quotient(element);
        return row - channels_.quotient(row) * channels_.value();
    }
    // For the elements from `begin` on; `first` is the channel of the first.
    __device__ Pack load(const float* parameters, std::int64_t begin, std::int64_t first) const {
        if (kind_ == Kind::beside) {
            return Elements(const_cast<float*>(parameters), ElementType::f32).load_pack(first);
        }
        Pack pack;
        for (int j = 0; j < Pack::size; ++j) {
            pack.at[j] = parameters[kind_ == Kind::same ? first : of(begin + j)];
        }
        return pack;
    }

private:
    enum class Kind { beside, same, apart };

    Divisor inner_;
    Divisor channels_;
    Kind kind_;
};

// Calls single(element) for each element of the last, incomplete pack, or whole(begin) for a whole
// pack.
template <class Whole, class Single>
__device__ void each_pack(std::int64_t pack, std::int64_t count, const Whole& whole,
                          const Single& single) {
    const std::int64_t begin = pack * Pack::size;
    if (begin + Pack::size <= count) {
        whole(begin);
        return;
    }
    for (std::int64_t i = begin; i < count; ++i) {
        single(i);
    }
}

}  // namespace strata::cuda
