// SPDX-License-Identifier: MIT
#include "networks/onnx/wire_writer.h"

namespace strata {

namespace {

// AttributeProto's field of the value, and its field `type`.
struct ValueWriter {
    WireMessage& message;

    void operator()(std::int64_t value) { message.integer(3, value).integer(20, 2); }
    void operator()(double value) { message.number(2, static_cast<float>(value)).integer(20, 1); }
    void operator()(const std::string& value) { message.text(4, value).integer(20, 3); }
    void operator()(const std::vector<std::int64_t>& values) {
        for (const std::int64_t value : values) {
            message.integer(8, value);
        }
        message.integer(20, 7);
    }
    void operator()(const std::vector<std::string>& values) {
        for (const std::string& value : values) {
            message.text(9, value);
        }
        message.integer(20, 8);
    }
};

}  // namespace

WireMessage onnx_attribute_message(const OnnxNamedValue& attribute) {
    WireMessage message;
    message.text(1, attribute.name);
    std::visit(ValueWriter{message}, attribute.value);
    return message;
}

WireMessage onnx_node_message(const OnnxNodeText& node) {
    WireMessage message;
    for (const std::string& input : node.inputs) {
        message.text(1, input);
    }
    for (const std::string& output : node.outputs) {
        message.text(2, output);
    }
    message.text(3, node.name).text(4, node.op_type);
    for (const WireMessage& attribute : node.attributes) {
        message.message(5, attribute);
    }
    if (!node.domain.empty()) {
        message.text(7, node.domain);
    }
    return message;
}

}  // namespace strata
