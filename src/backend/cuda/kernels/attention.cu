// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/attention.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

struct SoftmaxBody {
    const float* scores;
    Elements mask;
    Elements p;
    ScoreShape shape;
    std::int64_t mask_strides[4];

    template <class Team>
    __device__ void operator()(std::int64_t row, const Team& team) const {
        const std::int64_t query = row % shape.queries;
        const std::int64_t begin = row * shape.keys;
        const std::int64_t visible = keys_seen(query);
        const std::int64_t mask_begin = mask_of(row / shape.queries, query);
        float greatest = -HUGE_VALF;
        for (std::int64_t t = team.index(); t < visible; t += team.size()) {
            greatest = fmaxf(greatest, score(begin, mask_begin, t));
        }
        greatest = team.combined(greatest, Greater());
        float sum = 0;
        for (std::int64_t t = team.index(); greatest != -HUGE_VALF && t < visible;
             t += team.size()) {
            sum += expf(score(begin, mask_begin, t) - greatest);
        }
        sum = team.combined(sum, Add());
        for (std::int64_t t = team.index(); t < shape.keys; t += team.size()) {
            const bool seen = t < visible && sum > 0;
            p.store(begin + t, seen ? expf(score(begin, mask_begin, t) - greatest) / sum : 0);
        }
    }

private:
    __device__ std::int64_t keys_seen(std::int64_t query) const {
        const std::int64_t last = query + shape.keys - shape.queries + 1;
        const std::int64_t seen = shape.causal && last < shape.keys ? last : shape.keys;
        return seen > 0 ? seen : 0;
    }
    __device__ std::int64_t mask_of(std::int64_t head, std::int64_t query) const {
        return head / shape.heads * mask_strides[0] + head % shape.heads * mask_strides[1] +
               query * mask_strides[2];
    }
    __device__ float score(std::int64_t begin, std::int64_t mask_begin, std::int64_t t) const {
        const float own = scores[begin + t];
        return shape.has_mask ? own + mask.load(mask_begin + t * mask_strides[3]) : own;
    }
};

struct GradientBody {
    Elements p;
    const float* dp;
    Elements ds;
    std::int64_t keys;

    template <class Team>
    __device__ void operator()(std::int64_t row, const Team& team) const {
        const std::int64_t begin = row * keys;
        float sum = 0;
        for (std::int64_t t = team.index(); t < keys; t += team.size()) {
            sum += p.load(begin + t) * dp[begin + t];
        }
        sum = team.combined(sum, Add());
        for (std::int64_t t = team.index(); t < keys; t += team.size()) {
            ds.store(begin + t, p.load(begin + t) * (dp[begin + t] - sum));
        }
    }
};

std::int64_t rows_of(const ScoreShape& shape) {
    return shape.batch * shape.heads * shape.queries;
}

}  // namespace

Kernel masked_softmax(const ScoreShape& shape, ElementType mask, ElementType p) {
    return rows(
        "strata:masked_softmax", rows_of(shape), shape.keys, [=](std::span<void* const> at) {
            return SoftmaxBody{static_cast<const float*>(at[0]),
                               Elements(at[1], mask),
                               Elements(at[2], p),
                               shape,
                               {shape.mask[0], shape.mask[1], shape.mask[2], shape.mask[3]}};
        });
}

Kernel score_gradient(const ScoreShape& shape, ElementType p, ElementType ds) {
    return rows("strata:score_gradient", rows_of(shape), shape.keys,
                [=, keys = shape.keys](std::span<void* const> at) {
                    return GradientBody{Elements(at[0], p), static_cast<const float*>(at[1]),
                                        Elements(at[2], ds), keys};
                });
}

}  // namespace strata::cuda
