// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/node/node_import.h"

#include <algorithm>
#include <string>

namespace strata {

// Several layers that implement one node. Each is named by the node's name and a number.
class Composition {
public:
    explicit Composition(const NodeImport& node) : node_(node) {}

    TensorId add(Op op, std::vector<TensorId> operands) {
        return node_.add(next(), std::move(op), std::move(operands));
    }
    TensorId elementwise(ElementwiseKind kind, TensorId a, TensorId b) {
        return add(Elementwise{kind}, {a, b});
    }
    TensorId elementwise(ElementwiseKind kind, TensorId a, double b) {
        return elementwise(kind, a, scalar(b, dtype(a)));
    }
    template <class B>
    TensorId sum(TensorId a, B b) {
        return elementwise(ElementwiseKind::add, a, b);
    }
    template <class B>
    TensorId difference(TensorId a, B b) {
        return elementwise(ElementwiseKind::subtract, a, b);
    }
    template <class B>
    TensorId product(TensorId a, B b) {
        return elementwise(ElementwiseKind::multiply, a, b);
    }
    template <class B>
    TensorId quotient(TensorId a, B b) {
        return elementwise(ElementwiseKind::divide, a, b);
    }
    TensorId unary(UnaryKind kind, TensorId x) { return add(Unary{kind}, {x}); }
    TensorId cast(TensorId x, DataType to) {
        return to == dtype(x) ? x : add(Cast{.dtype = to}, {x});
    }
    TensorId reshape(TensorId x, Dims to) {
        return to == dims(x) ? x : add(Reshape{.dims = std::move(to)}, {x});
    }
    TensorId transpose(TensorId x, Dims permutation) {
        return std::ranges::is_sorted(permutation)
                   ? x
                   : add(Transpose{.permutation = std::move(permutation)}, {x});
    }
    TensorId scalar(double number, DataType type) { return node_.scalar(next(), number, type); }
    TensorId constant(Constant made) { return node_.constant_operand(next(), std::move(made)); }

    Dims dims(TensorId x) const { return node_.tensor(x).dims; }
    DataType dtype(TensorId x) const { return node_.tensor(x).dtype; }

private:
    std::string next() { return "part" + std::to_string(++count_); }

    const NodeImport& node_;
    int count_ = 0;
};

}  // namespace strata
