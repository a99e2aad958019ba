// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// Writes one protobuf message field by field; the counterpart of WireReader.
class WireMessage {
public:
    WireMessage& integer(int field, std::int64_t value);
    WireMessage& number(int field, float value);
    WireMessage& text(int field, std::string_view bytes);
    WireMessage& message(int field, const WireMessage& message) {
        return text(field, message.bytes());
    }
    // The key and length of a field whose content the caller appends.
    WireMessage& heading(int field, std::uint64_t length);

    const std::string& bytes() const { return bytes_; }

private:
    void varint(std::uint64_t value);

    std::string bytes_;
};

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
