// SPDX-License-Identifier: MIT
#include "networks/onnx/fold/folders.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

struct NamedFolder {
    std::string_view op_type;
    Folder fold;
};

// THE list: every ONNX operator that is folded over constants, one per line.
constexpr std::array folders = {
    NamedFolder{"Abs", fold_unary},
    NamedFolder{"Add", fold_binary},
    NamedFolder{"And", fold_binary},
    NamedFolder{"Cast", fold_cast},
    NamedFolder{"CastLike", fold_cast},
    NamedFolder{"Ceil", fold_unary},
    NamedFolder{"Compress", fold_moved},
    NamedFolder{"Concat", fold_concat},
    NamedFolder{"Constant", fold_constant},
    NamedFolder{"ConstantOfShape", fold_constant_of_shape},
    NamedFolder{"Cos", fold_unary},
    NamedFolder{"CumSum", fold_cumulative_sum},
    NamedFolder{"Div", fold_binary},
    NamedFolder{"Equal", fold_binary},
    NamedFolder{"Erf", fold_unary},
    NamedFolder{"Exp", fold_unary},
    NamedFolder{"Expand", fold_expand},
    NamedFolder{"EyeLike", fold_eye_like},
    NamedFolder{"Flatten", fold_flatten},
    NamedFolder{"Floor", fold_unary},
    NamedFolder{"Gather", fold_gather},
    NamedFolder{"GatherElements", fold_moved},
    NamedFolder{"GatherND", fold_moved},
    NamedFolder{"Greater", fold_binary},
    NamedFolder{"GreaterOrEqual", fold_binary},
    NamedFolder{"Identity", fold_identity},
    NamedFolder{"Less", fold_binary},
    NamedFolder{"LessOrEqual", fold_binary},
    NamedFolder{"Log", fold_unary},
    NamedFolder{"Max", fold_binary},
    NamedFolder{"Min", fold_binary},
    NamedFolder{"Mod", fold_binary},
    NamedFolder{"Mul", fold_binary},
    NamedFolder{"Neg", fold_unary},
    NamedFolder{"NonZero", fold_non_zero},
    NamedFolder{"Not", fold_unary},
    NamedFolder{"Or", fold_binary},
    NamedFolder{"Pow", fold_binary},
    NamedFolder{"Range", fold_range},
    NamedFolder{"Reciprocal", fold_unary},
    NamedFolder{"ReduceMax", fold_reduction},
    NamedFolder{"ReduceMean", fold_reduction},
    NamedFolder{"ReduceMin", fold_reduction},
    NamedFolder{"ReduceProd", fold_reduction},
    NamedFolder{"ReduceSum", fold_reduction},
    NamedFolder{"Relu", fold_unary},
    NamedFolder{"Reshape", fold_reshape},
    NamedFolder{"ReverseSequence", fold_moved},
    NamedFolder{"Round", fold_unary},
    NamedFolder{"Scatter", fold_moved},
    NamedFolder{"ScatterElements", fold_moved},
    NamedFolder{"ScatterND", fold_moved},
    NamedFolder{"Shape", fold_shape},
    NamedFolder{"Sigmoid", fold_unary},
    NamedFolder{"Sign", fold_unary},
    NamedFolder{"Sin", fold_unary},
    NamedFolder{"Size", fold_size},
    NamedFolder{"Slice", fold_slice},
    NamedFolder{"Sqrt", fold_unary},
    NamedFolder{"Squeeze", fold_squeeze},
    NamedFolder{"Sub", fold_binary},
    NamedFolder{"Tanh", fold_unary},
    NamedFolder{"Tile", fold_tile},
    NamedFolder{"Transpose", fold_transpose},
    NamedFolder{"Trilu", fold_trilu},
    NamedFolder{"Unsqueeze", fold_unsqueeze},
    NamedFolder{"Where", fold_where},
    NamedFolder{"Xor", fold_binary},
};

}  // namespace

Folder find_folder(std::string_view op_type) {
    const auto found = std::ranges::find(folders, op_type, &NamedFolder::op_type);
    return found == folders.end() ? nullptr : found->fold;
}

bool folds_by_shape(std::string_view op_type) {
    return op_type == "Shape" || op_type == "Size" || op_type == "EyeLike";
}

std::optional<Dims> broadcast_dims(std::span<const Dims> shapes) {
    std::size_t rank = 0;
    for (const Dims& shape : shapes) {
        rank = std::max(rank, shape.size());
    }
    Dims common(rank, 1);
    for (const Dims& shape : shapes) {
        const std::size_t missing = rank - shape.size();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            std::int64_t& extent = common[missing + i];
            if (extent != shape[i] && extent != 1 && shape[i] != 1) {
                return std::nullopt;
            }
            extent = extent == 1 ? shape[i] : extent;
        }
    }
    return common;
}

std::vector<std::int64_t> broadcast_elements(const Dims& from, const Dims& to) {
    std::vector<std::int64_t> elements(static_cast<std::size_t>(product(to)));
    if (elements.empty()) {
        return elements;
    }
    Dims steps(to.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        const std::int64_t extent = from[from.size() - i];
        steps[to.size() - i] = extent == 1 ? 0 : stride;
        stride *= extent;
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
        auto rest = static_cast<std::int64_t>(i);
        for (std::size_t axis = to.size(); axis-- > 0;) {
            elements[i] += rest % to[axis] * steps[axis];
            rest /= to[axis];
        }
    }
    return elements;
}

}  // namespace strata
