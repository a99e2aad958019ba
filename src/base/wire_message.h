// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// Writes one message in protobuf's wire format, field by field: ONNX files and Perfetto traces.
class WireMessage {
public:
    WireMessage& integer(int field, std::int64_t value);  // int32, int64, uint64, bool, enums
    WireMessage& number(int field, float value);
    WireMessage& number(int field, double value);
    WireMessage& text(int field, std::string_view bytes);
    WireMessage& message(int field, const WireMessage& message) {
        return text(field, message.bytes());
    }
    // The key and length of a field whose content the caller appends.
    WireMessage& heading(int field, std::uint64_t length);

    const std::string& bytes() const { return bytes_; }

private:
    void varint(std::uint64_t value);
    void fixed(std::uint64_t bits, int size);

    std::string bytes_;
};

}  // namespace strata
