// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/file/wire.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// An ONNX file as written (onnx.proto, ML profile, any IR version), without interpretation. Texts
// and tensor data are views into the file, which must outlive this. Items that nothing can refer to
// are left out: inputs, outputs, initializers and shapes without a name, and nodes without outputs.

// The place of a tensor's data outside the model file: "location", "offset", "length" and others.
using OnnxExternalData = std::vector<std::pair<std::string_view, std::string_view>>;

// The metadata key of a tensor's role, and the domain of layers that need several nodes. Each such
// layer is a function of this domain whose attribute is the operator as text.
inline constexpr std::string_view onnx_role_key = "strata.role";
inline constexpr std::string_view onnx_function_domain = "strata";
inline constexpr std::string_view onnx_function_attribute = "layer";

struct OnnxTensor {
    std::string_view name;
    std::vector<std::int64_t> dims;
    std::int64_t data_type = 0;  // TensorProto.DataType: 1 is float, 7 is int64
    // At most one of these holds the elements, depending on the type and the exporter.
    std::span<const std::byte> raw_data;
    WireElements float_data;                // f32
    WireElements double_data;               // f64
    std::vector<std::int64_t> int32_data;   // s32, s16, s8, u16, u8, bool, and f16, bf16 as bits
    std::vector<std::int64_t> int64_data;   // s64
    std::vector<std::int64_t> uint64_data;  // u64, u32
    std::size_t strings = 0;                // number of elements of string_data
    OnnxExternalData external_data;
    bool is_external = false;
    std::string_view role;  // as our exporter stated it
};

struct OnnxAttribute {
    std::string_view name;
    std::optional<std::int64_t> i;
    std::optional<float> f;
    std::optional<std::string_view> s;
    std::optional<OnnxTensor> t;
    std::vector<std::int64_t> ints;
    std::vector<float> floats;
    std::vector<std::string_view> strings;
    std::vector<WireReader> graphs;  // bodies of If, Loop, Scan; parse_onnx_graph reads them
    bool is_reference = false;       // refers to an attribute of the enclosing model-local function
};

// The name of an attribute or initializer, and its position in the file. A hostile file may have
// very many, so each is parsed only on demand.
struct OnnxNamedMessage {
    std::string_view name;
    WireReader message;
    bool has_graphs = false;  // of attributes: bodies of If, Loop, Scan
};

struct OnnxNode {
    std::string_view name;
    std::string_view op_type;
    std::string_view domain;
    std::vector<std::string_view> inputs;  // empty text: an omitted optional input
    std::vector<std::string_view> outputs;
    std::vector<OnnxNamedMessage> attributes;  // parse_onnx_attribute reads them
    // Metadata of PyTorch's default exporter (networks/onnx/file/module_path.h); empty if there is
    // none.
    std::string_view name_scopes = {};
    std::string_view class_hierarchy = {};
    std::string_view stack_trace = {};
    std::string_view rewriting_rules = {};
};

// An extent: a number, a name ("batch") or open.
struct OnnxDim {
    std::optional<std::int64_t> value;
    std::string_view name;
};

struct OnnxValueInfo {
    std::string_view name;
    std::string_view role;   // as our exporter stated it
    bool is_tensor = false;  // not a sequence, a map or an optional
    std::int64_t element_type = 0;
    std::optional<std::vector<OnnxDim>> shape;  // absent: even the rank is not stated
};

struct OnnxGraph {
    std::string_view name;
    std::vector<OnnxNode> nodes;
    std::vector<OnnxNamedMessage> initializers;         // parse_onnx_tensor reads them
    std::vector<std::string_view> sparse_initializers;  // names only
    std::vector<OnnxValueInfo> inputs;
    std::vector<OnnxValueInfo> outputs;
    std::vector<OnnxValueInfo> value_infos;
};

struct OnnxModel {
    std::int64_t ir_version = 0;
    std::string_view producer;
    std::vector<std::pair<std::string_view, std::int64_t>> opsets;  // domain, version
    std::optional<OnnxGraph> graph;
};

// Throws Error that names the file if it is truncated, is not ONNX, or has no graph.
OnnxModel parse_onnx_model(const WireFile& file);

// Parses a message: a graph within an attribute, an attribute, a tensor.
OnnxGraph parse_onnx_graph(WireReader message);
OnnxAttribute parse_onnx_attribute(WireReader message);
OnnxTensor parse_onnx_tensor(WireReader message);

}  // namespace strata
