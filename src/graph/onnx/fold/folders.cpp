// SPDX-License-Identifier: MIT
#include "graph/onnx/fold/folders.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

struct Entry {
    std::string_view op_type;
    Folder fold;
};

// THE list: every ONNX operator that is folded over constants, in one line each.
constexpr std::array folders = {
    Entry{"Abs", fold_unary},
    Entry{"Add", fold_binary},
    Entry{"And", fold_binary},
    Entry{"Cast", fold_cast},
    Entry{"CastLike", fold_cast},
    Entry{"Ceil", fold_unary},
    Entry{"Compress", fold_moved},
    Entry{"Concat", fold_concat},
    Entry{"Constant", fold_constant},
    Entry{"ConstantOfShape", fold_constant_of_shape},
    Entry{"Cos", fold_unary},
    Entry{"CumSum", fold_cumulative_sum},
    Entry{"Div", fold_binary},
    Entry{"Equal", fold_binary},
    Entry{"Erf", fold_unary},
    Entry{"Exp", fold_unary},
    Entry{"Expand", fold_expand},
    Entry{"EyeLike", fold_eye_like},
    Entry{"Flatten", fold_flatten},
    Entry{"Floor", fold_unary},
    Entry{"Gather", fold_gather},
    Entry{"GatherElements", fold_moved},
    Entry{"GatherND", fold_moved},
    Entry{"Greater", fold_binary},
    Entry{"GreaterOrEqual", fold_binary},
    Entry{"Identity", fold_identity},
    Entry{"Less", fold_binary},
    Entry{"LessOrEqual", fold_binary},
    Entry{"Log", fold_unary},
    Entry{"Max", fold_binary},
    Entry{"Min", fold_binary},
    Entry{"Mod", fold_binary},
    Entry{"Mul", fold_binary},
    Entry{"Neg", fold_unary},
    Entry{"NonZero", fold_non_zero},
    Entry{"Not", fold_unary},
    Entry{"Or", fold_binary},
    Entry{"Pow", fold_binary},
    Entry{"Range", fold_range},
    Entry{"Reciprocal", fold_unary},
    Entry{"ReduceMax", fold_reduction},
    Entry{"ReduceMean", fold_reduction},
    Entry{"ReduceMin", fold_reduction},
    Entry{"ReduceProd", fold_reduction},
    Entry{"ReduceSum", fold_reduction},
    Entry{"Relu", fold_unary},
    Entry{"Reshape", fold_reshape},
    Entry{"ReverseSequence", fold_moved},
    Entry{"Round", fold_unary},
    Entry{"Scatter", fold_moved},
    Entry{"ScatterElements", fold_moved},
    Entry{"ScatterND", fold_moved},
    Entry{"Shape", fold_shape},
    Entry{"Sigmoid", fold_unary},
    Entry{"Sign", fold_unary},
    Entry{"Sin", fold_unary},
    Entry{"Size", fold_size},
    Entry{"Slice", fold_slice},
    Entry{"Sqrt", fold_unary},
    Entry{"Squeeze", fold_squeeze},
    Entry{"Sub", fold_binary},
    Entry{"Tanh", fold_unary},
    Entry{"Tile", fold_tile},
    Entry{"Transpose", fold_transpose},
    Entry{"Trilu", fold_trilu},
    Entry{"Unsqueeze", fold_unsqueeze},
    Entry{"Where", fold_where},
    Entry{"Xor", fold_binary},
};

}  // namespace

Folder find_folder(std::string_view op_type) {
    const auto found = std::ranges::find(folders, op_type, &Entry::op_type);
    return found == folders.end() ? nullptr : found->fold;
}

bool folds_by_shape(std::string_view op_type) {
    return op_type == "Shape" || op_type == "Size" || op_type == "EyeLike";
}

}  // namespace strata
