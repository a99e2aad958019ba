// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/attention.h"

#include "backend/cuda/cudnn/operation_graph.h"

namespace strata::cuda {

namespace {

using enum AttentionTensor;

Dims dense_strides(const Dims& dims) {
    return strides_of(dims, Order::rows);
}

// An attention's tensors by role, and its operations in the pattern that cuDNN recognises.
class AttentionGraph {
public:
    explicit AttentionGraph(const AttentionProblem& problem)
        : problem_(problem), e_(problem.extents), type_(data_type(problem.type)) {}

    Descriptor forward(const PlanTarget& target);
    Descriptor backward(const PlanTarget& target);

private:
    static std::int64_t id(AttentionTensor tensor) { return static_cast<std::int64_t>(tensor); }

    TensorShape scores(cudnnDataType_t type = CUDNN_DATA_FLOAT) const {
        const Dims dims = {e_.batch, e_.heads, e_.queries, e_.keys};
        return {dims, dense_strides(dims), type};
    }
    TensorShape rows() const {
        const Dims dims = {e_.batch, e_.heads, e_.queries, 1};
        return {dims, dense_strides(dims), CUDNN_DATA_FLOAT};
    }
    TensorShape heads(std::int64_t count, std::int64_t positions, std::int64_t width) const {
        const Dims dims = {e_.batch, count, positions, width};
        return {dims,
                e_.packed ? Dims{positions * count * width, width, count * width, 1}
                          : dense_strides(dims),
                type_};
    }
    TensorShape queries() const { return heads(e_.heads, e_.queries, e_.width); }
    TensorShape results() const { return heads(e_.heads, e_.queries, e_.value_width); }
    TensorShape keys() const { return heads(e_.kv_heads, e_.keys, e_.width); }
    TensorShape values() const { return heads(e_.kv_heads, e_.keys, e_.value_width); }
    static TensorShape transposed(TensorShape shape) {
        std::swap(shape.dims[2], shape.dims[3]);
        std::swap(shape.strides[2], shape.strides[3]);
        return shape;
    }

    std::int64_t apply(cudnnPointwiseMode_t mode, std::int64_t x, std::optional<std::int64_t> b,
                       const TensorShape& shape, cudnnDataType_t computed = CUDNN_DATA_FLOAT) {
        const std::int64_t y = graph_.add_passing(shape);
        graph_.pointwise(mode, x, b, y, computed);
        return y;
    }
    std::int64_t reduced(cudnnReduceTensorOp_t operation, std::int64_t x) {
        const std::int64_t y = graph_.add_passing(rows());
        graph_.reduce(operation, x, y);
        return y;
    }
    std::int64_t product(std::int64_t a, std::int64_t b, const CountingRows& counts = {}) {
        const std::int64_t y = graph_.add_passing(scores());
        graph_.matmul(a, b, y, counts);
        return y;
    }
    std::int64_t index(std::int64_t x, std::int64_t axis) {
        const std::int64_t y = graph_.add_passing(scores(CUDNN_DATA_INT32));
        graph_.index(x, axis, y);
        return y;
    }
    std::int64_t kept_where(std::int64_t condition, std::int64_t x) {
        const std::int64_t y = graph_.add_passing(scores());
        graph_.select(condition, x, id(minus_infinity), y);
        return y;
    }

    void add_operands();
    std::int64_t scaled_scores();
    std::int64_t masked(std::int64_t scores);
    std::int64_t causal(std::int64_t scores);
    std::int64_t counted(std::int64_t scores);
    void write_statistics(std::int64_t greatest, std::int64_t sum);
    std::int64_t across(std::int64_t scores);
    void gradient_of_keys(std::int64_t across_scores, std::int64_t rows, const TensorShape& shape,
                          std::int64_t result);
    void gradient_of_queries(std::int64_t score_gradients);
    CountingRows counts(bool m_keys, bool n_keys) const;

    const AttentionProblem& problem_;
    const AttentionExtents& e_;
    cudnnDataType_t type_;
    OperationGraph graph_;
};

void AttentionGraph::add_operands() {
    graph_.add_in_memory(id(query), queries());
    graph_.add_in_memory(id(key), transposed(keys()));
    const bool forward = problem_.pass == Pass::forward;
    graph_.add_in_memory(id(value), forward ? values() : transposed(values()));
    graph_.add_in_memory(id(y), results());
    if (!problem_.mask.empty()) {
        graph_.add_in_memory(id(mask), {problem_.mask, dense_strides(problem_.mask), type_});
    }
    if (counts_positions(problem_)) {
        const TensorShape by_image = {{e_.batch, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_INT32};
        graph_.add_in_memory(id(query_counts), by_image);
        graph_.add_in_memory(id(key_counts), by_image);
    }
    for (const AttentionTensor scalar : scalars_of(problem_)) {
        const bool is_count = scalar == AttentionTensor::queries || scalar == AttentionTensor::keys;
        graph_.add_scalar(id(scalar), is_count ? CUDNN_DATA_INT32 : CUDNN_DATA_FLOAT);
    }
}

std::int64_t AttentionGraph::scaled_scores() {
    CountingRows counts;
    if (counts_positions(problem_)) {
        counts = {.m = id(query_counts), .n = id(key_counts)};
    }
    return apply(CUDNN_POINTWISE_MUL, product(id(query), id(key), counts), id(scale), scores());
}

std::int64_t AttentionGraph::masked(std::int64_t x) {
    return problem_.mask.empty() ? x : apply(CUDNN_POINTWISE_ADD, x, id(mask), scores());
}

std::int64_t AttentionGraph::causal(std::int64_t x) {
    if (!problem_.causal) {
        return x;
    }
    std::int64_t row = index(x, 2);
    const std::int64_t column = index(x, 3);
    if (problem_.causal && e_.queries != e_.keys) {
        const bool counted = counts_positions(problem_);
        row = apply(CUDNN_POINTWISE_ADD, row, id(counted ? key_counts : AttentionTensor::keys),
                    scores(CUDNN_DATA_INT32), CUDNN_DATA_INT32);
        row = apply(CUDNN_POINTWISE_SUB, row, id(counted ? query_counts : AttentionTensor::queries),
                    scores(CUDNN_DATA_INT32), CUDNN_DATA_INT32);
    }
    return kept_where(
        apply(CUDNN_POINTWISE_CMP_GE, row, column, scores(CUDNN_DATA_BOOLEAN), CUDNN_DATA_BOOLEAN),
        x);
}

std::int64_t AttentionGraph::counted(std::int64_t x) {
    if (!counts_positions(problem_)) {
        return x;
    }
    const TensorShape truths = scores(CUDNN_DATA_BOOLEAN);
    const std::int64_t row =
        apply(CUDNN_POINTWISE_CMP_LT, index(x, 2), id(query_counts), truths, CUDNN_DATA_BOOLEAN);
    const std::int64_t column =
        apply(CUDNN_POINTWISE_CMP_LT, index(x, 3), id(key_counts), truths, CUDNN_DATA_BOOLEAN);
    return kept_where(apply(CUDNN_POINTWISE_LOGICAL_AND, row, column, truths, CUDNN_DATA_BOOLEAN),
                      x);
}

void AttentionGraph::write_statistics(std::int64_t greatest, std::int64_t sum) {
    const std::int64_t logarithm = apply(CUDNN_POINTWISE_LOG, sum, {}, rows());
    if (problem_.trains) {
        graph_.add_in_memory(id(statistics), rows());
        graph_.pointwise(CUDNN_POINTWISE_ADD, greatest, logarithm, id(statistics));
    } else {
        apply(CUDNN_POINTWISE_ADD, greatest, logarithm, rows());
    }
}

// p = softmax(scale q k^T + mask); y = p v.
Descriptor AttentionGraph::forward(const PlanTarget& target) {
    add_operands();
    const std::int64_t shown = causal(masked(scaled_scores()));
    const std::int64_t greatest = reduced(CUDNN_REDUCE_TENSOR_MAX, shown);
    const std::int64_t exponentials = apply(
        CUDNN_POINTWISE_EXP, apply(CUDNN_POINTWISE_SUB, shown, greatest, scores()), {}, scores());
    const std::int64_t sum = reduced(CUDNN_REDUCE_TENSOR_ADD, exponentials);
    write_statistics(greatest, sum);
    const std::int64_t p = apply(CUDNN_POINTWISE_DIV, exponentials, sum, scores(type_));
    graph_.matmul(p, id(value), id(y));
    return graph_.finish(target);
}

std::int64_t AttentionGraph::across(std::int64_t x) {
    const std::int64_t y = graph_.add_passing(transposed(scores(type_)));
    graph_.reshape(x, y);
    return y;
}

// Query heads that share keys each contribute to the keys' gradient.
void AttentionGraph::gradient_of_keys(std::int64_t across_scores, std::int64_t rows,
                                      const TensorShape& shape, std::int64_t result) {
    CountingRows counts;
    if (counts_positions(problem_)) {
        counts = {.m = id(key_counts), .k = id(query_counts)};
    }
    graph_.add_in_memory(result, shape);
    if (e_.heads == e_.kv_heads) {
        graph_.matmul(across_scores, rows, result, counts);
        return;
    }
    const Dims dims = {e_.batch, e_.heads, e_.keys, shape.dims[3]};
    const std::int64_t parts = graph_.add_passing({dims, dense_strides(dims), type_});
    graph_.matmul(across_scores, rows, parts, counts);
    graph_.reduce(CUDNN_REDUCE_TENSOR_ADD, parts, result);
}

void AttentionGraph::gradient_of_queries(std::int64_t score_gradients) {
    CountingRows counts;
    if (counts_positions(problem_)) {
        counts = {.m = id(query_counts), .k = id(key_counts)};
    }
    const std::int64_t upright = graph_.add_passing(keys());
    graph_.reshape(id(key), upright);
    const Dims dims = {e_.batch, e_.heads, e_.queries, e_.width};
    graph_.add_in_memory(id(dq_sums), {dims, dense_strides(dims), CUDNN_DATA_FLOAT});
    graph_.add_in_memory(id(dq), queries());
    graph_.matmul(score_gradients, upright, id(dq_sums), counts);
    graph_.pointwise(CUDNN_POINTWISE_IDENTITY, id(dq_sums), {}, id(dq));
}

// p = exp(scores - statistics); dv = p^T dy; ds = p (dy v^T - dy y); dk = scale ds^T q; dq = scale
// ds k.
Descriptor AttentionGraph::backward(const PlanTarget& target) {
    add_operands();
    graph_.add_in_memory(id(dy), results());
    graph_.add_in_memory(id(statistics), rows());
    graph_.add_in_memory(id(dot_products), rows());
    const Dims dims = {e_.batch, e_.heads, e_.queries, e_.value_width};
    const std::int64_t squares =
        apply(CUDNN_POINTWISE_MUL, id(dy), id(y), {dims, dense_strides(dims), CUDNN_DATA_FLOAT});
    graph_.pointwise(CUDNN_POINTWISE_MUL, reduced(CUDNN_REDUCE_TENSOR_ADD, squares), id(one),
                     id(dot_products));
    const std::int64_t less =
        apply(CUDNN_POINTWISE_SUB, counted(masked(scaled_scores())), id(statistics), scores());
    const std::int64_t p = apply(CUDNN_POINTWISE_EXP, causal(less), {}, scores());
    gradient_of_keys(across(p), id(dy), values(), id(dv));
    CountingRows counts;
    if (counts_positions(problem_)) {
        counts = {.m = id(query_counts), .n = id(key_counts)};
    }
    const std::int64_t dp = product(id(dy), id(value), counts);
    const std::int64_t centred = apply(CUDNN_POINTWISE_SUB, dp, id(dot_products), scores());
    const std::int64_t ds = apply(
        CUDNN_POINTWISE_MUL, apply(CUDNN_POINTWISE_MUL, centred, p, scores()), id(scale), scores());
    gradient_of_keys(across(ds), id(query), keys(), id(dk));
    gradient_of_queries(ds);
    return graph_.finish(target);
}

}  // namespace

Descriptor attention_graph(const AttentionProblem& problem, const PlanTarget& target) {
    AttentionGraph graph(problem);
    return problem.pass == Pass::forward ? graph.forward(target) : graph.backward(target);
}

}  // namespace strata::cuda
