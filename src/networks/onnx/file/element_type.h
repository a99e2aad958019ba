// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

// The element type for TensorProto.DataType; nothing for strings and complex numbers.
std::optional<DataType> data_type_of(std::int64_t onnx_type);

// TensorProto.DataType of an element type.
std::int64_t onnx_type_of(DataType dtype);

// ONNX's name of a type: "FLOAT8E4M3FN".
std::string_view onnx_type_name(std::int64_t onnx_type);
std::string_view onnx_type_name(DataType dtype);

}  // namespace strata
