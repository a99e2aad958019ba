// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernels/map.cuh"
#include "backend/cuda/kernels/walk.cuh"

#include <bit>
#include <numeric>
#include <optional>

namespace strata::cuda {

namespace {

// For what no other kernel below takes.
struct CopyBody {
    Elements from;
    Elements to;
    Axes axes;
    std::int64_t from_begin;
    std::int64_t to_begin;

    __device__ void operator()(std::int64_t i) const {
        const auto offsets = offsets_of<2>(axes, i);
        to.store(to_begin + offsets.at[1], from.load(from_begin + offsets.at[0]));
    }
};

// Elements adjacent on both sides are moved in packs.
struct Same {
    __device__ void operator()(std::int64_t, const float* from, float* to) const {
        to[0] = from[0];
    }
};

bool is_dense(const Axes& axes) {
    return axes.rank == 0 || (axes.rank == 1 && axes.strides[0][0] == 1 && axes.strides[1][0] == 1);
}

using Half = std::uint16_t;

__device__ void gather(const Half* from, Half& word) {
    word = from[0];
}
__device__ void gather(const Half* from, std::uint32_t& word) {
    word = from[0] | std::uint32_t{from[1]} << 16U;
}
__device__ void gather(const Half* from, uint2& word) {
    gather(from, word.x);
    gather(from + 2, word.y);
}
__device__ void gather(const Half* from, uint4& word) {
    gather(from, word.x);
    gather(from + 2, word.y);
    gather(from + 4, word.z);
    gather(from + 6, word.w);
}
__device__ void scatter(Half word, Half* to) {
    to[0] = word;
}
__device__ void scatter(std::uint32_t word, Half* to) {
    to[0] = static_cast<Half>(word);
    to[1] = static_cast<Half>(word >> 16U);
}
__device__ void scatter(const uint2& word, Half* to) {
    scatter(word.x, to);
    scatter(word.y, to + 2);
}
__device__ void scatter(const uint4& word, Half* to) {
    scatter(word.x, to);
    scatter(word.y, to + 2);
    scatter(word.z, to + 4);
    scatter(word.w, to + 6);
}

// Runs of elements of one type that are adjacent on both sides, as words of 2 to 16 bytes; a thread
// loads a few before it stores the first.
template <class Word>
struct WordCopyBody {
    const void* from;
    void* to;
    Axes axes;  // in words, as the two offsets
    std::int64_t from_begin;
    std::int64_t to_begin;

    static constexpr int each = 4;
    static constexpr std::int64_t words_of_tile = each * threads_of_each;

    __device__ void operator()(std::int64_t tile) const {
        const std::int64_t begin = tile * words_of_tile + threadIdx.x;
        Walk<2> walk(axes, begin, threads_of_each);
        Word words[each];
        std::int64_t places[each];
        unrolled<each>([&](int k) {
            if (begin + k * threads_of_each < axes.count) {
                words[k] = load(from_begin + walk.at().at[0]);
            }
            places[k] = to_begin + walk.at().at[1];
            walk.go_on();
        });
        unrolled<each>([&](int k) {
            if (begin + k * threads_of_each < axes.count) {
                store(places[k], words[k]);
            }
        });
    }

private:
    static constexpr int halves = sizeof(Word) / sizeof(Half);

    // An address inside a buffer may have any alignment, except for that of its elements.
    __device__ static bool is_aligned(const void* address) {
        return reinterpret_cast<std::uintptr_t>(address) % sizeof(Word) == 0;
    }
    __device__ Word load(std::int64_t i) const {
        if (is_aligned(from)) {
            return static_cast<const Word*>(from)[i];
        }
        Word word;
        gather(static_cast<const Half*>(from) + i * halves, word);
        return word;
    }
    __device__ void store(std::int64_t i, const Word& word) const {
        if (is_aligned(to)) {
            static_cast<Word*>(to)[i] = word;
        } else {
            scatter(word, static_cast<Half*>(to) + i * halves);
        }
    }
};

// A copy between two layouts, both with an innermost axis, but not the same one: a batch of planes
// [b, a] that become [a, b]. A block moves a tile of a plane through shared memory, so that both
// sides are accessed along their innermost axes.
struct Planes {
    Axes batch = {};
    std::int64_t a = 1;
    std::int64_t b = 1;
    std::int64_t from_b = 0;  // from's stride along b
    std::int64_t to_a = 0;    // to's stride along a
    std::int64_t from_begin = 0;
    std::int64_t to_begin = 0;
    int log_a = 0;  // a tile has 2^log_a times 2^log_b elements
    int log_b = 0;
    bool has_packs_from = false;  // whether all packs along the innermost axis are aligned
    bool has_packs_to = false;
    Divisor tiles_a = {};
    Divisor tiles_b = {};

    std::int64_t tiles() const { return batch.count * tiles_a.value() * tiles_b.value(); }
};

struct TransposeBody {
    Elements from;
    Elements to;
    Planes planes;

    static constexpr int log_tile = 12;
    static constexpr int log_narrowest = 3;  // a pack

    __device__ void operator()(std::int64_t tile) const {
        __shared__ float values[(1 << log_tile) + (1 << (log_tile - log_narrowest))];
        const Planes& p = planes;
        const std::int64_t row = p.tiles_a.quotient(tile);
        const std::int64_t plane = p.tiles_b.quotient(row);
        const std::int64_t a = (tile - row * p.tiles_a.value()) << p.log_a;
        const std::int64_t b = (row - plane * p.tiles_b.value()) << p.log_b;
        const auto offsets = offsets_of<2>(p.batch, plane);
        const int pitch = (1 << p.log_a) + 1;  // so that neither side has many bank conflicts
        const Side in = {p.from_begin + offsets.at[0] + b * p.from_b + a,
                         p.from_b,
                         p.b - b,
                         p.a - a,
                         p.log_a,
                         pitch,
                         1};
        const Side out = {p.to_begin + offsets.at[1] + a * p.to_a + b,
                          p.to_a,
                          p.a - a,
                          p.b - b,
                          p.log_b,
                          1,
                          pitch};
        p.has_packs_from ? read<Pack::size>(in, values) : read<1>(in, values);
        __syncthreads();
        p.has_packs_to ? write<Pack::size>(out, values) : write<1>(out, values);
    }

private:
    // A tile as rows of adjacent elements in memory, and where they are in shared memory.
    struct Side {
        std::int64_t begin;
        std::int64_t stride;  // of the rows
        std::int64_t rows;    // that there are from its first one on
        std::int64_t columns;
        int log_columns;  // of a tile
        int shared_row;
        int shared_column;
    };
    static constexpr int elements_of_thread = (1 << log_tile) / static_cast<int>(threads_of_each);
    // A thread's k-th `size` elements, adjacent in a row.
    template <int size>
    struct Place {
        int row;
        int column;
        bool exists;
        __device__ Place(const Side& side, const Planes& planes, int k) {
            const int first =
                (k * static_cast<int>(threads_of_each) + static_cast<int>(threadIdx.x)) * size;
            row = first >> side.log_columns;
            column = first & ((1 << side.log_columns) - 1);
            exists = first < 1 << (planes.log_a + planes.log_b) && row < side.rows &&
                     column < side.columns;
        }
    };
    template <int size>
    __device__ void read(const Side& side, float* values) const {
        constexpr int each = elements_of_thread / size;
        RawPack raw[each];
        unrolled<each>([&](int k) {
            const Place<size> place(side, planes, k);
            if (place.exists) {
                const std::int64_t i = side.begin + place.row * side.stride + place.column;
                if constexpr (size == 1) {
                    raw[k].low.x = from.load_raw(i);
                } else {
                    raw[k] = from.load_raw_pack(i);
                }
            }
        });
        unrolled<each>([&](int k) {
            const Place<size> place(side, planes, k);
            if (place.exists) {
                float* shared =
                    values + place.row * side.shared_row + place.column * side.shared_column;
                if constexpr (size == 1) {
                    *shared = from.value_of(raw[k].low.x);
                } else {
                    const Pack pack = from.values_of(raw[k]);
                    for (int j = 0; j < size; ++j) {
                        shared[j * side.shared_column] = pack.at[j];
                    }
                }
            }
        });
    }
    template <int size>
    __device__ void write(const Side& side, const float* values) const {
        unrolled<elements_of_thread / size>([&](int k) {
            const Place<size> place(side, planes, k);
            if (place.exists) {
                const std::int64_t i = side.begin + place.row * side.stride + place.column;
                const float* shared =
                    values + place.row * side.shared_row + place.column * side.shared_column;
                if constexpr (size == 1) {
                    to.store(i, *shared);
                } else {
                    Pack pack;
                    for (int j = 0; j < size; ++j) {
                        pack.at[j] = shared[j * side.shared_column];
                    }
                    to.store_pack(i, pack);
                }
            }
        });
    }
};

// Whether all offsets into one side, except for its innermost axis, are multiples of a pack.
bool has_aligned_packs(const Axes& axes, int side, int innermost, std::int64_t begin) {
    std::int64_t divisor = std::gcd(begin, axes.extents[innermost].value());
    for (int axis = 0; axis < axes.rank; ++axis) {
        divisor = std::gcd(divisor, axis == innermost ? 0 : axes.strides[side][axis]);
    }
    return divisor % Pack::size == 0;
}

// Tiles are square unless a plane is narrower.
void divide_into_tiles(Planes& planes) {
    constexpr int whole = TransposeBody::log_tile;
    constexpr int narrowest = TransposeBody::log_narrowest;
    const auto log_of = [=](std::int64_t extent) {
        const int log = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent - 1)));
        return std::clamp(log, narrowest, whole - narrowest);
    };
    const int log_b = log_of(planes.b);
    planes.log_a = std::min(log_of(planes.a), std::max(whole / 2, whole - log_b));
    planes.log_b = std::min(log_b, whole - planes.log_a);
    planes.tiles_a = Divisor(ceiling(planes.a, std::int64_t{1} << planes.log_a));
    planes.tiles_b = Divisor(ceiling(planes.b, std::int64_t{1} << planes.log_b));
}

Axes without(const Axes& axes, int one, int other) {
    Axes rest;
    for (int axis = 0; axis < axes.rank; ++axis) {
        if (axis != one && axis != other) {
            rest.extents[rest.rank] = axes.extents[axis];
            rest.strides[0][rest.rank] = axes.strides[0][axis];
            rest.strides[1][rest.rank++] = axes.strides[1][axis];
            rest.count *= axes.extents[axis].value();
        }
    }
    return rest;
}

std::optional<Planes> planes_of(const Axes& axes, std::int64_t from_begin, std::int64_t to_begin) {
    const int b = axes.rank - 1;
    int a = b - 1;
    while (a >= 0 && axes.strides[0][a] != 1) {
        --a;
    }
    if (a < 0 || axes.strides[1][b] != 1) {
        return std::nullopt;
    }
    Planes planes = {.batch = without(axes, a, b),
                     .a = axes.extents[a].value(),
                     .b = axes.extents[b].value(),
                     .from_b = axes.strides[0][b],
                     .to_a = axes.strides[1][a],
                     .from_begin = from_begin,
                     .to_begin = to_begin,
                     .has_packs_from = has_aligned_packs(axes, 0, a, from_begin),
                     .has_packs_to = has_aligned_packs(axes, 1, b, to_begin)};
    divide_into_tiles(planes);
    constexpr int least_log = TransposeBody::log_tile - 2;  // else most threads have nothing to do
    return planes.log_a + planes.log_b < least_log ? std::nullopt : std::optional(planes);
}

bool has_runs(const Axes& axes) {
    const int last = axes.rank - 1;
    return last >= 0 && axes.strides[0][last] == 1 && axes.strides[1][last] == 1;
}

// The size of the largest words that all runs consist of.
std::int64_t word_bytes(const Axes& axes, std::size_t element,
                        const std::array<std::int64_t, 2>& begins) {
    const int last = axes.rank - 1;
    std::int64_t divisor = std::gcd(axes.extents[last].value(), std::gcd(begins[0], begins[1]));
    for (int axis = 0; axis < last; ++axis) {
        divisor = std::gcd(divisor, std::gcd(axes.strides[0][axis], axes.strides[1][axis]));
    }
    return std::gcd(divisor * static_cast<std::int64_t>(element), 16);
}

template <class Word>
Kernel word_copy(std::string name, Axes axes, std::size_t element,
                 std::array<std::int64_t, 2> begins) {
    const auto unit = static_cast<std::int64_t>(sizeof(Word) / element);
    const int last = axes.rank - 1;
    axes.extents[last] = Divisor(axes.extents[last].value() / unit);
    axes.count /= unit;
    for (int side = 0; side < 2; ++side) {
        begins[static_cast<std::size_t>(side)] /= unit;
        for (int axis = 0; axis < last; ++axis) {
            axes.strides[side][axis] /= unit;
        }
    }
    return tiles(std::move(name), ceiling(axes.count, WordCopyBody<Word>::words_of_tile),
                 [=](std::span<void* const> at) {
                     return WordCopyBody<Word>{at[0], at[1], axes, begins[0], begins[1]};
                 });
}

Kernel run_copy(std::string name, const Axes& axes, std::size_t element,
                const std::array<std::int64_t, 2>& begins) {
    switch (word_bytes(axes, element, begins)) {
        case 16:
            return word_copy<uint4>(std::move(name), axes, element, begins);
        case 8:
            return word_copy<uint2>(std::move(name), axes, element, begins);
        case 4:
            return word_copy<std::uint32_t>(std::move(name), axes, element, begins);
        default:
            return word_copy<std::uint16_t>(std::move(name), axes, element, begins);
    }
}

struct FillBody {
    Elements to;
    std::int64_t count;
    float value;

    __device__ void operator()(std::int64_t pack) const {
        const std::int64_t begin = pack * Pack::size;
        if (begin + Pack::size <= count) {
            to.store_pack(begin, {value, value, value, value, value, value, value, value});
            return;
        }
        for (std::int64_t i = begin; i < count; ++i) {
            to.store(i, value);
        }
    }
};

}  // namespace

Kernel strided_copy(std::string name, const Dims& dims, const StridedSide& from,
                    const StridedSide& to) {
    const Axes axes = sorted_axes(dims, {from.strides, to.strides});
    const std::array types = {from.type, to.type};
    const std::array begins = {from.begin, to.begin};
    if (is_dense(axes) && from.begin == 0 && to.begin == 0) {
        return map<1, 1>(std::move(name), axes.count, types, Same());
    }
    if (from.type == to.type && has_runs(axes)) {
        return run_copy(std::move(name), axes, size_in_bytes(from.type), begins);
    }
    if (const std::optional<Planes> planes = planes_of(axes, from.begin, to.begin)) {
        return tiles(
            std::move(name), axes.count == 0 ? 0 : planes->tiles(),
            [types, planes = *planes](std::span<void* const> at) {
                return TransposeBody{Elements(at[0], types[0]), Elements(at[1], types[1]), planes};
            });
    }
    return each(std::move(name), axes.count, [axes, types, begins](std::span<void* const> at) {
        return CopyBody{Elements(at[0], types[0]), Elements(at[1], types[1]), axes, begins[0],
                        begins[1]};
    });
}

Kernel fill(std::string name, std::int64_t count, ElementType type, float value) {
    return each(std::move(name), ceiling(count, Pack::size), [=](std::span<void* const> at) {
        return FillBody{Elements(at[0], type), count, value};
    });
}

}  // namespace strata::cuda
