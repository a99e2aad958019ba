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
    Entry{"Abs", fold_unary},           Entry{"Add", fold_binary},
    Entry{"And", fold_binary},          Entry{"Cast", fold_cast},
    Entry{"Ceil", fold_unary},          Entry{"Concat", fold_concat},
    Entry{"Constant", fold_constant},   Entry{"ConstantOfShape", fold_constant_of_shape},
    Entry{"Div", fold_binary},          Entry{"Equal", fold_binary},
    Entry{"Expand", fold_expand},       Entry{"Flatten", fold_flatten},
    Entry{"Floor", fold_unary},         Entry{"Gather", fold_gather},
    Entry{"Greater", fold_binary},      Entry{"Identity", fold_identity},
    Entry{"Less", fold_binary},         Entry{"Max", fold_binary},
    Entry{"Min", fold_binary},          Entry{"Mod", fold_binary},
    Entry{"Mul", fold_binary},          Entry{"Neg", fold_unary},
    Entry{"Not", fold_unary},           Entry{"Or", fold_binary},
    Entry{"Pow", fold_binary},          Entry{"Range", fold_range},
    Entry{"Reciprocal", fold_unary},    Entry{"ReduceProd", fold_reduce_product},
    Entry{"Reshape", fold_reshape},     Entry{"Shape", fold_shape},
    Entry{"Size", fold_size},           Entry{"Slice", fold_slice},
    Entry{"Sqrt", fold_unary},          Entry{"Squeeze", fold_squeeze},
    Entry{"Sub", fold_binary},          Entry{"Transpose", fold_transpose},
    Entry{"Unsqueeze", fold_unsqueeze}, Entry{"Where", fold_where},
};

}  // namespace

Folder find_folder(std::string_view op_type) {
    const auto found = std::ranges::find(folders, op_type, &Entry::op_type);
    return found == folders.end() ? nullptr : found->fold;
}

bool folds_by_shape(std::string_view op_type) {
    return op_type == "Shape" || op_type == "Size";
}

}  // namespace strata
