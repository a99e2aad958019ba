// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

#include <type_traits>

namespace strata::cuda {

// How many elements a use gets at once; known to the compiler, so that its loops are unrolled.
template <int size>
using Size = std::integral_constant<int, size>;

// A row of adjacent elements of several tensors, divided among a team (launch.cuh). A thread keeps
// up to `held` packs in registers: a row that the team holds is read once, however often it is
// passed through, and a longer one once per pass. Packs begin at multiples of their size in memory,
// so a few elements before the first and after the last belong to none; a thread has at most one.
template <int Inputs, class Team>
class PackedRow {
public:
    static constexpr int held = 4;

    __device__ PackedRow(const Elements (&inputs)[Inputs], std::int64_t begin, std::int64_t length,
                         const Team& team)
        : begin_(begin), step_(team.size()) {
        for (int k = 0; k < Inputs; ++k) {
            inputs_[k] = inputs[k];
        }
        const std::int64_t end = begin + length;
        const std::int64_t first = (begin + Pack::size - 1) / Pack::size;
        const std::int64_t last = end / Pack::size;
        pack_ = first + team.index();
        end_ = last;
        const std::int64_t before = (first * Pack::size < end ? first * Pack::size : end) - begin;
        const std::int64_t after =
            last * Pack::size > begin + before ? last * Pack::size : begin + before;
        single_ = team.index() < before ? begin + team.index() : after + team.index() - before;
        has_single_ = single_ < end;
        load(0);
        if (has_single_) {
            for (int k = 0; k < Inputs; ++k) {
                raw_single_[k] = inputs_[k].load_raw(single_);
            }
        }
    }

    // use(Size, i, values): from the i-th element of the row on, values[input].at[0 ... Size - 1].
    template <class Use>
    __device__ void each(const Use& use) {
        for (std::int64_t chunk = 0; pack_of(chunk, 0) < end_; ++chunk) {
            load(chunk);
            unrolled<held>([&](int k) {
                if (pack_of(chunk, k) < end_) {
                    Pack values[Inputs];
                    for (int input = 0; input < Inputs; ++input) {
                        values[input] = inputs_[input].values_of(raw_[k][input]);
                    }
                    use(Size<Pack::size>(), pack_of(chunk, k) * Pack::size - begin_, values);
                }
            });
        }
        if (has_single_) {
            Pack values[Inputs];
            for (int input = 0; input < Inputs; ++input) {
                values[input].at[0] = inputs_[input].value_of(raw_single_[input]);
            }
            use(Size<1>(), single_ - begin_, values);
        }
    }

    // Stores the pack that function(Size, i, values) returns. `y` may be an input.
    template <class Function>
    __device__ void store(const Elements& y, const Function& function) {
        each([&](auto size, std::int64_t i, const Pack* values) {
            const Pack result = function(size, i, values);
            if constexpr (size == 1) {
                y.store(begin_ + i, result.at[0]);
            } else {
                y.store_pack(begin_ + i, result);
            }
        });
    }

private:
    __device__ std::int64_t pack_of(std::int64_t chunk, int k) const {
        return pack_ + (chunk * held + k) * step_;
    }
    __device__ void load(std::int64_t chunk) {
        if (chunk == loaded_) {
            return;
        }
        loaded_ = chunk;
        unrolled<held>([&](int k) {
            if (pack_of(chunk, k) < end_) {
                for (int input = 0; input < Inputs; ++input) {
                    raw_[k][input] = inputs_[input].load_raw_pack(pack_of(chunk, k) * Pack::size);
                }
            }
        });
    }

    Elements inputs_[Inputs];
    std::int64_t begin_;
    std::int64_t step_;
    std::int64_t pack_;  // this thread's first
    std::int64_t end_;   // behind the last pack
    std::int64_t loaded_ = -1;
    std::int64_t single_;
    bool has_single_;
    RawPack raw_[held][Inputs] = {};
    RawElement raw_single_[Inputs] = {};
};

// The same for elements that are `stride` apart, neighbours of which belong to other teams: a
// thread reads single elements, again in each pass.
template <int Inputs>
class StridedRow {
public:
    __device__ StridedRow(const Elements (&inputs)[Inputs], std::int64_t begin, std::int64_t stride,
                          std::int64_t length, const ColumnTeam& team)
        : begin_(begin), stride_(stride), length_(length), team_(team) {
        for (int k = 0; k < Inputs; ++k) {
            inputs_[k] = inputs[k];
        }
    }

    template <class Use>
    __device__ void each(const Use& use) {
        for (std::int64_t i = team_.index(); i < length_; i += team_.size()) {
            Pack values[Inputs];
            for (int input = 0; input < Inputs; ++input) {
                values[input].at[0] = inputs_[input].load(begin_ + i * stride_);
            }
            use(Size<1>(), i, values);
        }
    }
    template <class Function>
    __device__ void store(const Elements& y, const Function& function) {
        each([&](auto size, std::int64_t i, const Pack* values) {
            y.store(begin_ + i * stride_, function(size, i, values).at[0]);
        });
    }

private:
    Elements inputs_[Inputs];
    std::int64_t begin_;
    std::int64_t stride_;
    std::int64_t length_;
    ColumnTeam team_;
};

// The threads of a block with the same threadIdx.y, a power of two that fits into a warp. A team
// beyond the last row takes part in the reductions, but it has no elements, and none of its threads
// is thread 0.
class LaneTeam {
public:
    __device__ explicit LaneTeam(bool has_row) : has_row_(has_row) {}
    __device__ std::int64_t index() const { return has_row_ ? threadIdx.x : beyond; }
    __device__ std::int64_t size() const { return blockDim.x; }
    template <class T, class Combine>
    __device__ T combined(T value, Combine combine) const {
        for (unsigned distance = blockDim.x / 2; distance > 0; distance /= 2) {
            value = combine(value, __shfl_xor_sync(~0U, value, static_cast<int>(distance)));
        }
        return value;
    }

private:
    static constexpr std::int64_t beyond = std::int64_t{1} << 61;
    bool has_row_;
};

template <class Body>
__global__ void __launch_bounds__(threads_of_short_rows)
    packed_short_rows_kernel(Body body, std::int64_t count) {
    for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.y; first < count;
         first += static_cast<std::int64_t>(gridDim.x) * blockDim.y) {
        const std::int64_t row = first + threadIdx.y;
        body(row < count ? row : count - 1, LaneTeam(row < count));
    }
}

// The threads for a row that a warp holds: one for each pack, and for each of up to 14 elements
// that are in none.
inline std::int64_t lanes_for(std::int64_t length) {
    std::int64_t lanes = length % Pack::size == 0 ? 4 : 16;
    while (lanes < 32 && lanes * Pack::size < length) {
        lanes *= 2;
    }
    return lanes;
}

// body(row, team) for each row of `length` adjacent elements, of which it makes a PackedRow.
template <class Make>
Kernel packed_rows(std::string name, std::int64_t count, std::int64_t length, Make make) {
    constexpr std::int64_t long_row = 1024;
    const bool is_long = length > long_row;
    const std::int64_t lanes = lanes_for(length);
    const std::int64_t rows_of_block = threads_of_short_rows / lanes;
    const Geometry geometry =
        is_long ? Geometry{blocks_for(count, 1), threads_of_each}
                : Geometry{blocks_for(count, rows_of_block), lanes, rows_of_block};
    return {.name = std::move(name),
            .geometry = geometry,
            .reads = compiled_reads,
            .launch = [=](cudaStream_t stream, std::span<void* const> at) {
                using Body = decltype(make(at));
                return launch(is_long ? &long_rows_kernel<Body, threads_of_each>
                                      : &packed_short_rows_kernel<Body>,
                              geometry, stream, make(at), count);
            }};
}

}  // namespace strata::cuda
