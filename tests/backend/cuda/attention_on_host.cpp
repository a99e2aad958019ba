// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/attention.h"
#include "backend/cuda/device/values.h"
#include "tests/backend/cuda/library_on_host.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata::testing {

namespace {

using namespace cuda;
using enum AttentionTensor;
using Index = std::int64_t;

constexpr double hidden = -std::numeric_limits<double>::infinity();

// One query of one head of one image.
struct Query {
    Index image;
    Index head;
    Index position;
};

// The heads of a tensor in memory of one element type.
struct Heads {
    void* memory = nullptr;
    ElementType type = ElementType::f32;
    Index count = 1;
    Index positions = 1;
    Index width = 1;
    bool packed = false;

    Index row(Index image, Index head, Index position) const {
        const Index before = packed ? (image * positions + position) * count + head
                                    : (image * count + head) * positions + position;
        return before * width;
    }
    double load(Index at) const { return load_element(memory, at, type); }
    void store(Index at, double value) const {
        store_element(memory, at, type, static_cast<float>(value));
    }
    std::size_t elements(Index batch) const {
        return static_cast<std::size_t>(batch * count * positions * width);
    }
};

class HostAttention {
public:
    HostAttention(const AttentionProblem& problem, std::span<void* const> addresses)
        : problem_(problem), e_(problem.extents), addresses_(addresses) {
        q_ = heads(query, e_.heads, e_.queries, e_.width);
        k_ = heads(key, e_.kv_heads, e_.keys, e_.width);
        v_ = heads(value, e_.kv_heads, e_.keys, e_.value_width);
        y_ = heads(y, e_.heads, e_.queries, e_.value_width);
        statistics_ = {at(statistics), ElementType::f32, e_.heads, e_.queries, 1, false};
    }

    void forward() const {
        each_query([&](const Query& query) { answer(query); });
    }

    void backward() {
        dy_ = heads(dy, e_.heads, e_.queries, e_.value_width);
        dq_.resize(q_.elements(e_.batch));
        dk_.resize(k_.elements(e_.batch));
        dv_.resize(v_.elements(e_.batch));
        each_query([&](const Query& query) { add_gradients(query); });
        store(dq_, heads(dq, 1, 1, 1));
        store(dk_, heads(dk, 1, 1, 1));
        store(dv_, heads(dv, 1, 1, 1));
    }

private:
    // Null if the pass does not have this tensor.
    void* at(AttentionTensor tensor) const {
        const auto tensors = tensors_of(problem_);
        const auto found = std::ranges::find(tensors, tensor);
        return found == tensors.end()
                   ? nullptr
                   : addresses_[static_cast<std::size_t>(found - tensors.begin())];
    }

    Heads heads(AttentionTensor tensor, Index count, Index positions, Index width) const {
        return {at(tensor), problem_.type, count, positions, width, e_.packed};
    }

    template <class Function>
    void each_query(const Function& function) const {
        for (Index i = 0; i < e_.batch * e_.heads * e_.queries; ++i) {
            function(Query{i / e_.queries / e_.heads, i / e_.queries % e_.heads, i % e_.queries});
        }
    }

    static std::size_t index(Index i) { return static_cast<std::size_t>(i); }
    Index shared(const Query& query) const { return query.head / (e_.heads / e_.kv_heads); }
    Index key_row(const Query& query, Index t) const {
        return k_.row(query.image, shared(query), t);
    }
    Index value_row(const Query& query, Index t) const {
        return v_.row(query.image, shared(query), t);
    }

    double mask_at(const Query& query, Index t) const {
        if (problem_.mask.empty()) {
            return 0;
        }
        const Dims view = {query.image, query.head, query.position, t};
        Index at_element = 0;
        for (std::size_t axis = 0; axis < view.size(); ++axis) {
            at_element =
                at_element * problem_.mask[axis] + (problem_.mask[axis] == 1 ? 0 : view[axis]);
        }
        return load_element(at(mask), at_element, problem_.type);
    }

    double score(const Query& query, Index t) const {
        if (problem_.causal && t > query.position + e_.keys - e_.queries) {
            return hidden;
        }
        const Index row = q_.row(query.image, query.head, query.position);
        double sum = 0;
        for (Index d = 0; d < e_.width; ++d) {
            sum += q_.load(row + d) * k_.load(key_row(query, t) + d);
        }
        return sum * e_.scale + mask_at(query, t);
    }

    std::vector<double> scores(const Query& query) const {
        std::vector<double> all(index(e_.keys));
        for (Index t = 0; t < e_.keys; ++t) {
            all[index(t)] = score(query, t);
        }
        return all;
    }

    void answer(const Query& query) const {
        std::vector<double> p = scores(query);
        const double greatest = std::ranges::max(p);
        double sum = 0;
        for (double& each : p) {
            each = std::exp(each - greatest);
            sum += each;
        }
        const Index row = y_.row(query.image, query.head, query.position);
        for (Index d = 0; d < e_.value_width; ++d) {
            double weighted = 0;
            for (Index t = 0; t < e_.keys; ++t) {
                weighted += p[index(t)] * v_.load(value_row(query, t) + d);
            }
            y_.store(row + d, weighted / sum);
        }
        if (statistics_.memory != nullptr) {
            statistics_.store(statistics_.row(query.image, query.head, query.position),
                              greatest + std::log(sum));
        }
    }

    double dot(const Heads& a, Index a_row, const Heads& b, Index b_row) const {
        double sum = 0;
        for (Index d = 0; d < a.width; ++d) {
            sum += a.load(a_row + d) * b.load(b_row + d);
        }
        return sum;
    }

    void add_gradients(const Query& query) {
        const Index row = q_.row(query.image, query.head, query.position);
        const Index result = y_.row(query.image, query.head, query.position);
        const double dot_product = dot(dy_, result, y_, result);
        const double logarithm =
            statistics_.load(statistics_.row(query.image, query.head, query.position));
        const std::vector<double> all = scores(query);
        for (Index t = 0; t < e_.keys; ++t) {
            const double p = std::exp(all[index(t)] - logarithm);
            const double dp = dot(dy_, result, v_, value_row(query, t));
            const double ds = p * (dp - dot_product) * e_.scale;
            for (Index d = 0; d < e_.value_width; ++d) {
                dv_[index(value_row(query, t) + d)] += p * dy_.load(result + d);
            }
            for (Index d = 0; d < e_.width; ++d) {
                dq_[index(row + d)] += ds * k_.load(key_row(query, t) + d);
                dk_[index(key_row(query, t) + d)] += ds * q_.load(row + d);
            }
        }
    }

    static void store(const std::vector<double>& sums, const Heads& to) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            to.store(static_cast<Index>(i), sums[i]);
        }
    }

    const AttentionProblem& problem_;
    const AttentionExtents& e_;
    std::span<void* const> addresses_;
    Heads q_, k_, v_, y_, dy_, statistics_;
    std::vector<double> dq_, dk_, dv_;
};

}  // namespace

void compute_attention_on_host(const AttentionProblem& problem, std::span<void* const> addresses) {
    HostAttention attention(problem, addresses);
    problem.pass == Pass::forward ? attention.forward() : attention.backward();
}

}  // namespace strata::testing
