// SPDX-License-Identifier: MIT
#include "networks/onnx/file/element_type.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

struct OnnxType {
    std::string_view name;
    std::optional<DataType> dtype;
};

// In the order of TensorProto.DataType.
constexpr std::array<OnnxType, 27> onnx_types = {{{"undefined", {}},
                                                  {"FLOAT", DataType::f32},
                                                  {"UINT8", DataType::u8},
                                                  {"INT8", DataType::s8},
                                                  {"UINT16", DataType::u16},
                                                  {"INT16", DataType::s16},
                                                  {"INT32", DataType::s32},
                                                  {"INT64", DataType::s64},
                                                  {"STRING", {}},
                                                  {"BOOL", DataType::boolean},
                                                  {"FLOAT16", DataType::f16},
                                                  {"DOUBLE", DataType::f64},
                                                  {"UINT32", DataType::u32},
                                                  {"UINT64", DataType::u64},
                                                  {"COMPLEX64", {}},
                                                  {"COMPLEX128", {}},
                                                  {"BFLOAT16", DataType::bf16},
                                                  {"FLOAT8E4M3FN", DataType::f8e4m3fn},
                                                  {"FLOAT8E4M3FNUZ", DataType::f8e4m3fnuz},
                                                  {"FLOAT8E5M2", DataType::f8e5m2},
                                                  {"FLOAT8E5M2FNUZ", DataType::f8e5m2fnuz},
                                                  {"UINT4", DataType::u4},
                                                  {"INT4", DataType::s4},
                                                  {"FLOAT4E2M1", DataType::f4e2m1},
                                                  {"FLOAT8E8M0", DataType::f8e8m0},
                                                  {"UINT2", DataType::u2},
                                                  {"INT2", DataType::s2}}};

const OnnxType& find_type(std::int64_t onnx_type) {
    const bool known = onnx_type > 0 && onnx_type < static_cast<std::int64_t>(onnx_types.size());
    return onnx_types[known ? static_cast<std::size_t>(onnx_type) : 0];
}

}  // namespace

std::optional<DataType> data_type_of(std::int64_t onnx_type) {
    return find_type(onnx_type).dtype;
}

std::string_view onnx_type_name(std::int64_t onnx_type) {
    return find_type(onnx_type).name;
}

std::int64_t onnx_type_of(DataType dtype) {
    return std::ranges::find(onnx_types, dtype, &OnnxType::dtype) - onnx_types.begin();
}

std::string_view onnx_type_name(DataType dtype) {
    return onnx_type_name(onnx_type_of(dtype));
}

}  // namespace strata
