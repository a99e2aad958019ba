// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"

#include <fmt/format.h>
#include <map>

namespace strata {

namespace {

using Labels = std::string;  // one character for each axis

// An equation and its parts: the labels of each operand and of the result.
struct Equation {
    std::vector<Labels> operands;
    Labels result;
};

// The axes in "..." get labels that no equation uses: 0, 1, 2 beginning with the last axis.
Labels spelt_out(std::string_view term, std::size_t rank) {
    const auto dots = term.find("...");
    if (dots == std::string_view::npos) {
        return Labels(term);
    }
    const std::size_t written = term.size() - 3;
    Labels labels(term.substr(0, dots));
    for (std::size_t left = rank > written ? rank - written : 0; left-- > 0;) {
        labels += static_cast<char>('0' + left);
    }
    return labels + Labels(term.substr(dots + 3));
}

bool has(const Labels& labels, char label) {
    return labels.find(label) != Labels::npos;
}

// Without "->", the result has the labels that occur once, in alphabetical order.
Labels implied_result(const std::vector<Labels>& operands) {
    std::map<char, int> counts;
    for (const Labels& labels : operands) {
        for (const char label : labels) {
            ++counts[label];
        }
    }
    Labels shared, single;
    for (const auto& [label, count] : counts) {
        if (label >= '0' && label <= '9') {
            shared.insert(shared.begin(), label);
        } else if (count == 1) {
            single += label;
        }
    }
    return shared + single;
}

Equation equation_of(const NodeImport& node) {
    std::string text;
    for (const char c : node.text("equation", "")) {
        text += c == ' ' ? "" : std::string(1, c);
    }
    const auto arrow = text.find("->");
    const std::string left = text.substr(0, arrow);
    Equation equation;
    std::size_t widest = 0;
    for (const auto term : split(left, ',')) {
        const std::size_t i = equation.operands.size();
        const std::size_t rank = node.input(i).dims.size();
        equation.operands.push_back(spelt_out(term, rank));
        if (equation.operands.back().size() != rank || rank > 9) {
            throw Unsupported{
                fmt::format("its equation '{}' does not fit its inputs", printable(text))};
        }
        const bool dots = term.find("...") != std::string_view::npos;
        widest = std::max(widest, dots ? rank - (term.size() - 3) : 0);
    }
    equation.result = arrow == std::string::npos
                          ? implied_result(equation.operands)
                          : spelt_out(text.substr(arrow + 2),
                                      text.substr(arrow + 2).find("...") == std::string::npos
                                          ? 0
                                          : text.size() - arrow - 5 + widest);
    return equation;
}

// A tensor and the labels of its axes.
struct Labelled {
    TensorId tensor;
    Labels labels;
};

void require_distinct(const Labels& labels) {
    for (const char label : labels) {
        unsupported_if(labels.find(label) != labels.rfind(label), "diagonals are not supported");
    }
}

// Sums over the axes whose labels are not in `kept`.
Labelled summed(Composition& steps, const Labelled& x, const Labels& kept) {
    Reduction sum{.kind = ReductionKind::sum, .axes = {}, .keep_axes = false};
    Labels left;
    for (std::size_t axis = 0; axis < x.labels.size(); ++axis) {
        if (has(kept, x.labels[axis])) {
            left += x.labels[axis];
        } else {
            sum.axes.push_back(static_cast<std::int64_t>(axis));
        }
    }
    return sum.axes.empty() ? x : Labelled{steps.add(sum, {x.tensor}), left};
}

Labelled arranged(Composition& steps, const Labelled& x, const Labels& order) {
    Dims permutation;
    for (const char label : order) {
        permutation.push_back(static_cast<std::int64_t>(x.labels.find(label)));
    }
    return {steps.transpose(x.tensor, permutation), order};
}

Labels filtered(const Labels& labels, const auto& keeps) {
    Labels result;
    std::ranges::copy_if(labels, std::back_inserter(result), keeps);
    return result;
}

Dims extents_of(const Composition& steps, const Labelled& x, const Labels& labels) {
    Dims dims;
    for (const char label : labels) {
        dims.push_back(steps.dims(x.tensor)[x.labels.find(label)]);
    }
    return dims;
}

// The product of two operands as a batched matrix product: [batch, left, sum] x [batch, sum,
// right].
Labelled multiplied(Composition& steps, Labelled a, Labelled b, const Labels& result) {
    a = summed(steps, a, result + b.labels);
    b = summed(steps, b, result + a.labels);
    const auto shared = [&](char c) { return has(a.labels, c) && has(b.labels, c); };
    const Labels batch = filtered(a.labels, [&](char c) { return shared(c) && has(result, c); });
    const Labels sum = filtered(a.labels, [&](char c) { return shared(c) && !has(result, c); });
    const Labels left = filtered(a.labels, [&](char c) { return !shared(c); });
    const Labels right = filtered(b.labels, [&](char c) { return !shared(c); });
    for (const char label : batch + sum) {
        unsupported_if(extents_of(steps, a, {label}) != extents_of(steps, b, {label}),
                       "its inputs' extents differ");
    }
    const Dims batch_dims = extents_of(steps, a, batch);
    const Dims left_dims = extents_of(steps, a, left);
    const Dims right_dims = extents_of(steps, b, right);
    const std::int64_t inner = product(extents_of(steps, a, sum));
    a = arranged(steps, a, batch + left + sum);
    b = arranged(steps, b, batch + sum + right);
    const std::int64_t count = product(batch_dims);
    const TensorId product_of =
        steps.add(MatMul{}, {steps.reshape(a.tensor, {count, product(left_dims), inner}),
                             steps.reshape(b.tensor, {count, inner, product(right_dims)})});
    Dims dims = batch_dims;
    dims.insert(dims.end(), left_dims.begin(), left_dims.end());
    dims.insert(dims.end(), right_dims.begin(), right_dims.end());
    return {steps.reshape(product_of, dims), batch + left + right};
}

void convert_einsum(const NodeImport& node) {
    const Equation equation = equation_of(node);
    require_distinct(equation.result);
    std::ranges::for_each(equation.operands, require_distinct);
    unsupported_if(equation.operands.size() != node.input_count(),
                   "its equation does not have one term for each input");
    Composition steps(node);
    Labelled whole{node.operand(0), equation.operands[0]};
    for (std::size_t i = 1; i < equation.operands.size(); ++i) {
        Labels needed = equation.result;
        for (std::size_t later = i + 1; later < equation.operands.size(); ++later) {
            needed += equation.operands[later];
        }
        whole = multiplied(steps, whole, {node.operand(i), equation.operands[i]}, needed);
    }
    whole = summed(steps, whole, equation.result);
    unsupported_if(whole.labels.size() != equation.result.size(),
                   "its result has labels that no input has");
    node.result(Identity{}, {arranged(steps, whole, equation.result).tensor});
}

}  // namespace

OnnxRows einsum_rows() {
    static constexpr std::array rows = {OnnxRow("Einsum").in(convert_einsum)};
    return rows;
}

}  // namespace strata
