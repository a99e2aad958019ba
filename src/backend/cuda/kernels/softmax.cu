// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/reduction.h"

#include "backend/cuda/kernels/packed_rows.cuh"

namespace strata::cuda {

namespace {

// A row along the axis.
template <int Inputs, class Team>
__device__ PackedRow<Inputs, Team> row_of(const SoftmaxShape& shape,
                                          const Elements (&inputs)[Inputs], std::int64_t number,
                                          const Team& team) {
    return {inputs, number * shape.extent, shape.extent, team};
}
template <int Inputs>
__device__ StridedRow<Inputs> row_of(const SoftmaxShape& shape, const Elements (&inputs)[Inputs],
                                     std::int64_t number, const ColumnTeam& team) {
    const std::int64_t outer = number / shape.inner;
    const std::int64_t after = number - outer * shape.inner;
    return {inputs, outer * shape.extent * shape.inner + after, shape.inner, shape.extent, team};
}

// The greatest element and the sum of exp(x - greatest).
struct Normalizer {
    float greatest;
    float sum;
};

// Nothing can be subtracted from elements that are masked throughout.
__device__ float shift_of(float greatest) {
    return greatest == -HUGE_VALF ? 0 : greatest;
}

// In one pass: a thread that finds a greater element scales its sum down (Milakov and Gimelshein
// 2018).
template <class Row, class Team>
__device__ Normalizer normalizer_of(Row& row, const Team& team) {
    float greatest = -HUGE_VALF;
    float sum = 0;
    row.each([&](auto size, std::int64_t, const Pack* values) {
        float most = values[0].at[0];
        for (int j = 1; j < size; ++j) {
            most = fmaxf(most, values[0].at[j]);
        }
        if (most > greatest) {
            sum *= expf(greatest - most);
            greatest = most;
        }
        const float shift = shift_of(greatest);
        for (int j = 0; j < size; ++j) {
            sum += expf(values[0].at[j] - shift);
        }
    });
    const float shift = shift_of(team.combined(greatest, Greater()));
    return {shift, team.combined(sum * expf(greatest - shift), Add())};
}

struct ForwardBody {
    Elements x;
    Elements y;
    SoftmaxShape shape;

    template <class Team>
    __device__ void operator()(std::int64_t number, const Team& team) const {
        auto row = row_of<1>(shape, {x}, number, team);
        const Normalizer normalizer = normalizer_of(row, team);
        const float logarithm = logf(normalizer.sum);
        const float inverse = 1 / normalizer.sum;
        row.store(y, [&](auto size, std::int64_t, const Pack* values) {
            Pack result = values[0];
            for (int j = 0; j < size; ++j) {
                const float shifted = result.at[j] - normalizer.greatest;
                result.at[j] = shape.logarithm ? shifted - logarithm : expf(shifted) * inverse;
            }
            return result;
        });
    }
};

struct BackwardBody {
    Elements y;
    Elements dy;
    Elements dx;
    SoftmaxShape shape;

    template <class Team>
    __device__ void operator()(std::int64_t number, const Team& team) const {
        auto row = row_of<2>(shape, {y, dy}, number, team);
        float sum = 0;
        row.each([&](auto size, std::int64_t, const Pack* values) {
            for (int j = 0; j < size; ++j) {
                sum += values[1].at[j] * (shape.logarithm ? 1 : values[0].at[j]);
            }
        });
        sum = team.combined(sum, Add());
        row.store(dx, [&](auto size, std::int64_t, const Pack* values) {
            Pack result = values[1];
            for (int j = 0; j < size; ++j) {
                const float value = values[0].at[j];
                result.at[j] = shape.logarithm ? result.at[j] - expf(value) * sum
                                               : value * (result.at[j] - sum);
            }
            return result;
        });
    }
};

// A label that is not a class is clamped to the nearest one.
__device__ std::int64_t class_of(const Elements& labels, std::int64_t n, std::int64_t classes) {
    const float label = fminf(fmaxf(labels.load(n), 0), static_cast<float>(classes - 1));
    return static_cast<std::int64_t>(label);
}

struct LossBody {
    Elements x;
    Elements labels;
    Elements losses;
    float* normalizers;  // the greatest element of each row, then each sum
    std::int64_t batch;
    std::int64_t classes;

    template <class Team>
    __device__ void operator()(std::int64_t n, const Team& team) const {
        PackedRow<1, Team> row({x}, n * classes, classes, team);
        const Normalizer normalizer = normalizer_of(row, team);
        if (team.index() == 0) {
            const float own = x.load(n * classes + class_of(labels, n, classes));
            losses.store(n, logf(normalizer.sum) - (own - normalizer.greatest));
            normalizers[n] = normalizer.greatest;
            normalizers[batch + n] = normalizer.sum;
        }
    }
};

struct LossGradientBody {
    Elements x;
    Elements labels;
    const float* normalizers;
    Elements dx;
    std::int64_t batch;
    Divisor classes;
    float share;

    __device__ void operator()(std::int64_t pack) const {
        const std::int64_t begin = pack * Pack::size;
        const std::int64_t left = batch * classes.value() - begin;
        const bool is_whole = left >= Pack::size;
        const RawPack raw = is_whole ? x.load_raw_pack(begin) : RawPack{};
        std::int64_t n = classes.quotient(begin);
        std::int64_t c = begin - n * classes.value();
        Sample sample = sample_of(n);
        Pack values = x.values_of(raw);
        unrolled<Pack::size>([&](int j) {
            if (j < left) {
                if (c == classes.value()) {
                    sample = sample_of(++n);
                    c = 0;
                }
                const float value = is_whole ? values.at[j] : x.load(begin + j);
                const float probability = expf(value - sample.greatest) * sample.inverse;
                values.at[j] = (probability - (c == sample.label ? 1 : 0)) * share;
                ++c;
            }
        });
        if (is_whole) {
            dx.store_pack(begin, values);
            return;
        }
        unrolled<Pack::size>([&](int j) {
            if (j < left) {
                dx.store(begin + j, values.at[j]);
            }
        });
    }

private:
    struct Sample {
        std::int64_t label;
        float greatest;
        float inverse;
    };
    __device__ Sample sample_of(std::int64_t n) const {
        return {class_of(labels, n, classes.value()), normalizers[n], 1 / normalizers[batch + n]};
    }
};

template <class Make>
Kernel rows_or_columns(std::string name, const SoftmaxShape& shape, Make make) {
    const std::int64_t count = shape.outer * shape.inner;
    return shape.inner == 1 ? packed_rows(std::move(name), count, shape.extent, make)
                            : columns(std::move(name), count, shape.extent, make);
}

}  // namespace

Kernel softmax_forward(const SoftmaxShape& shape, const std::array<ElementType, 2>& types) {
    return rows_or_columns("strata:softmax_forward", shape, [=](std::span<void* const> at) {
        return ForwardBody{Elements(at[0], types[0]), Elements(at[1], types[1]), shape};
    });
}

Kernel softmax_backward(const SoftmaxShape& shape, const std::array<ElementType, 3>& types) {
    return rows_or_columns("strata:softmax_backward", shape, [=](std::span<void* const> at) {
        return BackwardBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                            Elements(at[2], types[2]), shape};
    });
}

Kernel cross_entropy_forward(std::int64_t batch, std::int64_t classes,
                             const std::array<ElementType, 2>& types) {
    return packed_rows("strata:cross_entropy_forward", batch, classes,
                       [=](std::span<void* const> at) {
                           return LossBody{Elements(at[0], types[0]),
                                           Elements(at[1], types[1]),
                                           Elements(at[2], ElementType::f32),
                                           floats(at[3]),
                                           batch,
                                           classes};
                       });
}

Kernel cross_entropy_backward(std::int64_t batch, std::int64_t classes,
                              const std::array<ElementType, 3>& types) {
    return each("strata:cross_entropy_backward", ceiling(batch * classes, Pack::size),
                [=](std::span<void* const> at) {
                    return LossGradientBody{Elements(at[0], types[0]),
                                            Elements(at[1], types[1]),
                                            floats(at[2]),
                                            Elements(at[3], types[2]),
                                            batch,
                                            Divisor(classes),
                                            1 / static_cast<float>(batch)};
                });
}

}  // namespace strata::cuda
