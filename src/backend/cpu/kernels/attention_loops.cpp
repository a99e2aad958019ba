// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/attention_loops.h"

#include "backend/cpu/kernels/attention_block.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <utility>

namespace strata::cpu {

namespace {

std::size_t size(std::int64_t extent) {
    return static_cast<std::size_t>(extent);
}

std::ptrdiff_t step(std::size_t floats) {
    return static_cast<std::ptrdiff_t>(floats);
}

// A head of queries, or of keys and values, of one batch element.
struct Head {
    std::size_t batch = 0;
    std::size_t index = 0;
};

// Allocates pieces of a thread's scratch memory.
class Pieces {
public:
    explicit Pieces(float* memory) : next_(memory) {}
    float* take(std::size_t floats) { return std::exchange(next_, next_ + floats); }

private:
    float* next_;
};

// Shared by both passes: the position of a head, and the keys that a block of queries sees.
class Attending {
public:
    explicit Attending(const AttentionLoops& loops) : loops_(loops), e_(loops.extents), b_(loops) {}

    const AttentionBlocks& blocks() const { return b_; }
    std::size_t queries() const { return size(e_.queries); }
    std::size_t sharing() const { return size(e_.heads / e_.kv_heads); }
    std::size_t parts() const { return size(e_.batch * e_.kv_heads); }
    Head part(std::size_t index) const {
        return {index / size(e_.kv_heads), index % size(e_.kv_heads)};
    }
    float scale() const { return static_cast<float>(e_.scale); }

    HeadVectors of_queries(const Elements& elements, const Head& head, std::size_t width) const {
        return vectors(elements, head, size(e_.heads), size(e_.queries), width);
    }
    HeadVectors of_keys(const Elements& elements, const Head& head, std::size_t width) const {
        return vectors(elements, head, size(e_.kv_heads), size(e_.keys), width);
    }

    // Keys that the query at this position sees.
    std::size_t visible(std::size_t position) const {
        if (!loops_.causal) {
            return b_.keys;
        }
        const auto last = static_cast<std::int64_t>(position) + e_.keys - e_.queries;
        return size(std::clamp<std::int64_t>(last + 1, 0, e_.keys));
    }

    ScoreRow row(float* scores, const float* mask, const Head& head, std::size_t position,
                 std::size_t computed) const {
        ScoreRow result = {scores, visible(position), computed, scale()};
        if (mask != nullptr) {
            const MaskSteps& steps = loops_.mask;
            result.mask = mask + static_cast<std::ptrdiff_t>(head.batch) * steps.batch +
                          static_cast<std::ptrdiff_t>(head.index) * steps.head +
                          static_cast<std::ptrdiff_t>(position) * steps.query;
            result.mask_step = steps.key;
        }
        return result;
    }

    std::size_t logarithm(const Head& head, std::size_t position) const {
        return (head.batch * size(e_.heads) + head.index) * queries() + position;
    }

private:
    HeadVectors vectors(const Elements& elements, const Head& head, std::size_t heads,
                        std::size_t positions, std::size_t width) const {
        return e_.packed
                   ? HeadVectors{elements, (head.batch * positions * heads + head.index) * width,
                                 heads * width, width}
                   : HeadVectors{elements, (head.batch * heads + head.index) * positions * width,
                                 width, width};
    }

    const AttentionLoops& loops_;
    AttentionExtents e_;
    AttentionBlocks b_;
};

// y = softmax(q k' scale + mask) v for the heads that share one head of keys.
class Forward {
public:
    Forward(const Attending& attending, const AttentionForward& memory, float* scratch)
        : a_(attending), b_(attending.blocks()), memory_(memory) {
        Pieces pieces(scratch);
        rows_ = pieces.take(b_.keys * std::max(b_.padded_width, b_.padded_value_width));
        panels_ = pieces.take(panel_floats(b_.keys, b_.width));
        queries_ = pieces.take(b_.queries * b_.padded_width);
        scores_ = pieces.take(b_.queries * b_.score_row);
        results_ = pieces.take(b_.queries * b_.padded_value_width);
    }

    void run(const Head& keys) {
        load_rows(a_.of_keys(memory_.k, keys, b_.width), 0, b_.keys, b_.padded_width, rows_);
        transpose_to_panels({rows_, step(b_.padded_width)}, b_.keys, b_.width, panels_);
        load_rows(a_.of_keys(memory_.v, keys, b_.value_width), 0, b_.keys, b_.padded_value_width,
                  rows_);
        for (std::size_t i = 0; i < a_.sharing(); ++i) {
            const Head head = {keys.batch, keys.index * a_.sharing() + i};
            for (std::size_t from = 0; from < a_.queries(); from += b_.queries) {
                block(head, from, std::min(b_.queries, a_.queries() - from));
            }
        }
    }

private:
    void block(const Head& head, std::size_t from, std::size_t count) {
        const std::size_t seen = a_.visible(from + count - 1);
        const std::size_t computed = round_up(seen, 16);
        load_rows(a_.of_queries(memory_.q, head, b_.width), from, count, b_.padded_width, queries_);
        gemm_by_panels({count, computed, b_.width}, {queries_, step(b_.padded_width)}, panels_,
                       {scores_, step(b_.score_row)});
        for (std::size_t i = 0; i < count; ++i) {
            inverses_[i] = finish_row(head, from, i, computed);
        }
        small_gemm({count, b_.padded_value_width, seen}, {scores_, step(b_.score_row)},
                   {rows_, step(b_.padded_value_width)}, {results_, step(b_.padded_value_width)},
                   Into::overwrite);
        for (std::size_t i = 0; i < count; ++i) {
            scale_row(results_ + i * b_.padded_value_width, b_.padded_value_width, inverses_[i]);
        }
        store_rows(results_, b_.padded_value_width, a_.of_queries(memory_.y, head, b_.value_width),
                   from, count);
    }

    float finish_row(const Head& head, std::size_t from, std::size_t i, std::size_t computed) {
        const RowSum sum = exponentiate(
            a_.row(scores_ + i * b_.score_row, memory_.mask, head, from + i, computed));
        if (memory_.logarithms != nullptr) {
            memory_.logarithms[a_.logarithm(head, from + i)] = sum.logarithm;
        }
        return sum.inverse;
    }

    const Attending& a_;
    const AttentionBlocks& b_;
    const AttentionForward& memory_;
    float *rows_ = nullptr, *panels_ = nullptr, *queries_ = nullptr, *scores_ = nullptr,
          *results_ = nullptr;
    std::array<float, AttentionBlocks::max_queries> inverses_ = {};
};

// dv = p' dy; dp = dy v'; ds = p (dp - sum of p dp) scale; dq = ds k; dk = ds' q.
class Backward {
public:
    Backward(const Attending& attending, const AttentionBackward& memory, float* scratch)
        : a_(attending), b_(attending.blocks()), memory_(memory) {
        Pieces pieces(scratch);
        keys_ = pieces.take(b_.keys * std::max(b_.padded_width, b_.padded_value_width));
        key_panels_ = pieces.take(panel_floats(b_.keys, b_.width));
        value_panels_ = pieces.take(panel_floats(b_.keys, b_.value_width));
        key_gradients_ = pieces.take(b_.keys * b_.padded_width);
        value_gradients_ = pieces.take(b_.keys * b_.padded_value_width);
        queries_ = pieces.take(b_.queries * b_.padded_width);
        gradients_ = pieces.take(b_.queries * b_.padded_value_width);
        scores_ = pieces.take(b_.queries * b_.score_row);
        score_gradients_ = pieces.take(b_.queries * b_.score_row);
        query_gradients_ = pieces.take(b_.queries * b_.padded_width);
    }

    void run(const Head& keys) {
        load_rows(a_.of_keys(memory_.v, keys, b_.value_width), 0, b_.keys, b_.padded_value_width,
                  keys_);
        transpose_to_panels({keys_, step(b_.padded_value_width)}, b_.keys, b_.value_width,
                            value_panels_);
        load_rows(a_.of_keys(memory_.k, keys, b_.width), 0, b_.keys, b_.padded_width, keys_);
        transpose_to_panels({keys_, step(b_.padded_width)}, b_.keys, b_.width, key_panels_);
        std::fill_n(key_gradients_, b_.keys * b_.padded_width, 0.0F);
        std::fill_n(value_gradients_, b_.keys * b_.padded_value_width, 0.0F);
        for (std::size_t i = 0; i < a_.sharing(); ++i) {
            const Head head = {keys.batch, keys.index * a_.sharing() + i};
            for (std::size_t from = 0; from < a_.queries(); from += b_.queries) {
                block(head, from, std::min(b_.queries, a_.queries() - from));
            }
        }
        store_rows(key_gradients_, b_.padded_width, a_.of_keys(memory_.dk, keys, b_.width), 0,
                   b_.keys);
        store_rows(value_gradients_, b_.padded_value_width,
                   a_.of_keys(memory_.dv, keys, b_.value_width), 0, b_.keys);
    }

private:
    void block(const Head& head, std::size_t from, std::size_t count) {
        const std::size_t seen = a_.visible(from + count - 1);
        score_block(head, from, count, seen);
        small_gemm({seen, b_.padded_value_width, count}, {scores_, 1, step(b_.score_row)},
                   {gradients_, step(b_.padded_value_width)},
                   {value_gradients_, step(b_.padded_value_width)}, Into::add);
        small_gemm({seen, b_.padded_width, count}, {score_gradients_, 1, step(b_.score_row)},
                   {queries_, step(b_.padded_width)}, {key_gradients_, step(b_.padded_width)},
                   Into::add);
        small_gemm({count, b_.padded_width, seen}, {score_gradients_, step(b_.score_row)},
                   {keys_, step(b_.padded_width)}, {query_gradients_, step(b_.padded_width)},
                   Into::overwrite);
        store_rows(query_gradients_, b_.padded_width, a_.of_queries(memory_.dq, head, b_.width),
                   from, count);
    }

    // Probabilities and the scores' gradients of one block.
    void score_block(const Head& head, std::size_t from, std::size_t count, std::size_t seen) {
        const std::size_t computed = round_up(seen, 16);
        load_rows(a_.of_queries(memory_.q, head, b_.width), from, count, b_.padded_width, queries_);
        load_rows(a_.of_queries(memory_.dy, head, b_.value_width), from, count,
                  b_.padded_value_width, gradients_);
        gemm_by_panels({count, computed, b_.width}, {queries_, step(b_.padded_width)}, key_panels_,
                       {scores_, step(b_.score_row)});
        gemm_by_panels({count, computed, b_.value_width}, {gradients_, step(b_.padded_value_width)},
                       value_panels_, {score_gradients_, step(b_.score_row)});
        for (std::size_t i = 0; i < count; ++i) {
            float* p = scores_ + i * b_.score_row;
            probabilities(a_.row(p, memory_.mask, head, from + i, computed),
                          memory_.logarithms[a_.logarithm(head, from + i)]);
            score_gradients(p, score_gradients_ + i * b_.score_row, computed, a_.scale());
        }
    }

    const Attending& a_;
    const AttentionBlocks& b_;
    const AttentionBackward& memory_;
    float *keys_ = nullptr, *key_panels_ = nullptr, *value_panels_ = nullptr,
          *key_gradients_ = nullptr, *value_gradients_ = nullptr, *queries_ = nullptr,
          *gradients_ = nullptr, *scores_ = nullptr, *score_gradients_ = nullptr,
          *query_gradients_ = nullptr;
};

// Hands out key heads one by one to free threads: on a busy machine threads are not equally fast.
template <class OneThread, class Memory>
void for_each_part(const Attending& attending, const Memory& memory, std::size_t scratch,
                   int threads) {
    const std::size_t parts = attending.parts();
#pragma omp parallel num_threads(threads) if (parts > 1)
    {
        const auto self = static_cast<std::size_t>(omp_get_thread_num());
        OneThread one(attending, memory, memory.scratch + self * scratch);
#pragma omp for schedule(dynamic)
        for (std::size_t part = 0; part < parts; ++part) {
            one.run(attending.part(part));
        }
    }
}

}  // namespace

std::size_t forward_scratch(const AttentionLoops& loops) {
    const AttentionBlocks b(loops);
    return round_up(b.keys * std::max(b.padded_width, b.padded_value_width) +
                        panel_floats(b.keys, b.width) +
                        b.queries * (b.padded_width + b.score_row + b.padded_value_width),
                    16);
}

std::size_t backward_scratch(const AttentionLoops& loops) {
    const AttentionBlocks b(loops);
    return round_up(b.keys * std::max(b.padded_width, b.padded_value_width) +
                        panel_floats(b.keys, b.width) + panel_floats(b.keys, b.value_width) +
                        b.keys * (b.padded_width + b.padded_value_width) +
                        b.queries * (2 * b.padded_width + b.padded_value_width + 2 * b.score_row),
                    16);
}

void attend(const AttentionLoops& loops, const AttentionForward& memory, int threads) {
    for_each_part<Forward>(Attending(loops), memory, forward_scratch(loops), threads);
}

void attend_backward(const AttentionLoops& loops, const AttentionBackward& memory, int threads) {
    for_each_part<Backward>(Attending(loops), memory, backward_scratch(loops), threads);
}

}  // namespace strata::cpu
