// SPDX-License-Identifier: MIT
#include "op/attention.h"
#include "backend/parallel.h"
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace strata {

namespace {

using Index = std::int64_t;

enum AttentionInput : std::size_t { query, key, value, mask };

// Where the vectors of one operand's heads are in memory.
struct HeadRows {
    Index heads = 0;
    Index positions = 0;
    Index width = 0;
    bool packed = true;

    std::size_t at(Index batch, Index head, Index position) const {
        const Index row = packed ? (batch * positions + position) * heads + head
                                 : (batch * heads + head) * positions + position;
        return static_cast<std::size_t>(row * width);
    }
};

// The computation of one attention; every score and probability is recomputed from the operands.
class Heads {
public:
    Heads(const Attention& op, const ReferenceOperands& operands)
        : operands_(operands), e_(extents_of(op, operands.signature)), causal_(op.causal) {
        q_ = {e_.heads, e_.queries, e_.width, e_.packed};
        k_ = {e_.kv_heads, e_.keys, e_.width, e_.packed};
        v_ = {e_.kv_heads, e_.keys, e_.value_width, e_.packed};
        y_ = {e_.heads, e_.queries, e_.value_width, e_.packed};
        if (operands.inputs.size() > mask) {
            mask_.emplace(operands.input_dims(mask), Dims{e_.batch, e_.heads, e_.queries, e_.keys});
        }
    }

    void forward() const {
        parallel_for(e_.batch * e_.heads * e_.queries, 4.0 * vector_operations(), [&](Index i) {
            const Query at = query_at(i);
            const auto p = probabilities(at);
            std::vector<double> sums(index(e_.value_width));
            for (Index t = 0; t < e_.keys; ++t) {
                add_product(sums, 0, p[index(t)], operands_.inputs[value],
                            v_.at(at.batch, shared_head(at), t), e_.value_width);
            }
            std::ranges::transform(
                sums, operands_.outputs[0].subspan(y_.at(at.batch, at.head, at.position)).begin(),
                [](double sum) { return static_cast<float>(sum); });
        });
    }

    // dv = p dy; ds = p (dy v - sum of p dy v); dq = scale ds k; dk = scale ds q.
    void backward() const {
        std::vector<std::vector<double>> sums;
        for (std::size_t i = 0; i < operands_.inputs.size(); ++i) {
            sums.emplace_back(operands_.wants_gradient(i) ? operands_.input_gradients[i].size()
                                                          : 0);
        }
        // Parts share no keys, so one thread sums each gradient; but all share the mask.
        const Index independent =
            sums.size() > mask && !sums[mask].empty() ? 1 : e_.batch * e_.kv_heads;
        const Index each = e_.batch * e_.heads * e_.queries / independent;
        parallel_for(independent, static_cast<double>(each) * 8 * vector_operations(),
                     [&](Index part) {
                         for (Index i = part * each; i < (part + 1) * each; ++i) {
                             add_gradients(query_at(i), sums);
                         }
                     });
        store(sums);
    }

private:
    struct Query {
        Index batch = 0;
        Index head = 0;
        Index position = 0;
    };

    static std::size_t index(Index i) { return static_cast<std::size_t>(i); }

    double vector_operations() const {
        return static_cast<double>(e_.keys * (e_.width + e_.value_width));
    }

    // Heads that share keys are adjacent.
    Query query_at(Index i) const {
        return {i / e_.queries / e_.heads, i / e_.queries % e_.heads, i % e_.queries};
    }

    Index shared_head(const Query& at) const { return at.head / (e_.heads / e_.kv_heads); }

    double element(std::size_t operand, const HeadRows& rows, const Query& at, Index t,
                   Index d) const {
        return operands_.inputs[operand][rows.at(at.batch, shared_head(at), t) + index(d)];
    }

    std::size_t mask_at(const Query& at, Index t) const {
        return (*mask_)(
            index(((at.batch * e_.heads + at.head) * e_.queries + at.position) * e_.keys + t));
    }

    double score(const Query& at, Index t) const {
        if (causal_ && t > at.position + e_.keys - e_.queries) {
            return -std::numeric_limits<double>::infinity();
        }
        double sum = 0;
        for (Index d = 0; d < e_.width; ++d) {
            sum += operands_.inputs[query][q_.at(at.batch, at.head, at.position) + index(d)] *
                   element(key, k_, at, t, d);
        }
        return sum * e_.scale + (mask_ ? operands_.inputs[mask][mask_at(at, t)] : 0.0);
    }

    // All are 0 for a query that sees nothing.
    std::vector<double> probabilities(const Query& at) const {
        std::vector<double> p(index(e_.keys));
        for (Index t = 0; t < e_.keys; ++t) {
            p[index(t)] = score(at, t);
        }
        const double greatest = *std::ranges::max_element(p);
        if (greatest == -std::numeric_limits<double>::infinity()) {
            std::ranges::fill(p, 0.0);
            return p;
        }
        double sum = 0;
        for (double& each : p) {
            each = std::exp(each - greatest);
            sum += each;
        }
        std::ranges::transform(p, p.begin(), [&](double each) { return each / sum; });
        return p;
    }

    // d(loss) / d(score) after scale and mask.
    std::vector<double> score_gradients(const Query& at, const std::vector<double>& p) const {
        std::vector<double> ds(p.size());
        const auto dy =
            operands_.output_gradients[0].subspan(y_.at(at.batch, at.head, at.position));
        double mean = 0;
        for (Index t = 0; t < e_.keys; ++t) {
            for (Index d = 0; d < e_.value_width; ++d) {
                ds[index(t)] += dy[index(d)] * element(value, v_, at, t, d);
            }
            mean += p[index(t)] * ds[index(t)];
        }
        for (std::size_t t = 0; t < ds.size(); ++t) {
            ds[t] = p[t] * (ds[t] - mean);
        }
        return ds;
    }

    void add_gradients(const Query& at, std::vector<std::vector<double>>& sums) const {
        const auto p = probabilities(at);
        const auto ds = score_gradients(at, p);
        const std::size_t q = q_.at(at.batch, at.head, at.position);
        const std::size_t y = y_.at(at.batch, at.head, at.position);
        for (Index t = 0; t < e_.keys; ++t) {
            const std::size_t k = k_.at(at.batch, shared_head(at), t);
            const std::size_t v = v_.at(at.batch, shared_head(at), t);
            const double scaled = e_.scale * ds[index(t)];
            add_product(sums[query], q, scaled, operands_.inputs[key], k, e_.width);
            add_product(sums[key], k, scaled, operands_.inputs[query], q, e_.width);
            add_product(sums[value], v, p[index(t)], operands_.output_gradients[0], y,
                        e_.value_width);
            if (mask_ && !sums[mask].empty()) {
                sums[mask][mask_at(at, t)] += ds[index(t)];
            }
        }
    }

    static void add_product(std::vector<double>& sums, std::size_t to, double factor,
                            std::span<const float> values, std::size_t from, Index width) {
        for (Index d = 0; d < width && !sums.empty(); ++d) {
            sums[to + index(d)] += factor * values[from + index(d)];
        }
    }

    void store(const std::vector<std::vector<double>>& sums) const {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            for (std::size_t j = 0; j < sums[i].size(); ++j) {
                operands_.input_gradients[i][j] = static_cast<float>(sums[i][j]);
            }
        }
    }

    const ReferenceOperands& operands_;
    AttentionExtents e_;
    bool causal_ = false;
    HeadRows q_, k_, v_, y_;
    std::optional<Broadcast> mask_;
};

}  // namespace

void reference_forward(const Attention& op, const ReferenceOperands& operands) {
    Heads(op, operands).forward();
}

void reference_backward(const Attention& op, const ReferenceOperands& operands) {
    Heads(op, operands).backward();
}

}  // namespace strata
