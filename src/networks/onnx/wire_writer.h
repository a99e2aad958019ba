// SPDX-License-Identifier: MIT
#pragma once

#include "base/wire_message.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// The value of an attribute of an ONNX node.
using OnnxAttributeValue = std::variant<std::int64_t, double, std::string,
                                        std::vector<std::int64_t>, std::vector<std::string>>;

// AttributeProto, NodeProto, TensorProto without data, ValueInfoProto.
struct OnnxNamedValue {
    std::string_view name;
    OnnxAttributeValue value;
};
WireMessage onnx_attribute_message(const OnnxNamedValue& attribute);

struct OnnxNodeText {
    std::string name = {};
    std::string op_type = {};
    std::string domain = {};
    std::vector<std::string> inputs = {};
    std::vector<std::string> outputs = {};
    std::vector<WireMessage> attributes = {};
};
WireMessage onnx_node_message(const OnnxNodeText& node);

}  // namespace strata
