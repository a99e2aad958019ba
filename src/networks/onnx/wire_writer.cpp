// SPDX-License-Identifier: MIT
#include "networks/onnx/wire_writer.h"

#include <bit>

namespace strata {

namespace {

constexpr std::uint64_t varint_type = 0;
constexpr std::uint64_t bytes_type = 2;
constexpr std::uint64_t fixed32_type = 5;

std::uint64_t key(int field, std::uint64_t type) {
    return static_cast<std::uint64_t>(field) << 3 | type;
}

}  // namespace

void WireMessage::varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
        bytes_ += static_cast<char>(static_cast<unsigned char>(value | 0x80));
    }
    bytes_ += static_cast<char>(static_cast<unsigned char>(value));
}

WireMessage& WireMessage::integer(int field, std::int64_t value) {
    varint(key(field, varint_type));
    varint(static_cast<std::uint64_t>(value));
    return *this;
}

WireMessage& WireMessage::number(int field, float value) {
    varint(key(field, fixed32_type));
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) {
        bytes_ += static_cast<char>(static_cast<unsigned char>(bits >> shift));
    }
    return *this;
}

WireMessage& WireMessage::text(int field, std::string_view bytes) {
    heading(field, bytes.size());
    bytes_ += bytes;
    return *this;
}

WireMessage& WireMessage::heading(int field, std::uint64_t length) {
    varint(key(field, bytes_type));
    varint(length);
    return *this;
}

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
