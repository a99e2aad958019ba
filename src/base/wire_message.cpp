// SPDX-License-Identifier: MIT
#include "base/wire_message.h"

#include <bit>

namespace strata {

namespace {

constexpr std::uint64_t varint_type = 0;
constexpr std::uint64_t fixed64_type = 1;
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

void WireMessage::fixed(std::uint64_t bits, int size) {
    for (int shift = 0; shift < 8 * size; shift += 8) {
        bytes_ += static_cast<char>(static_cast<unsigned char>(bits >> shift));
    }
}

WireMessage& WireMessage::integer(int field, std::int64_t value) {
    varint(key(field, varint_type));
    varint(static_cast<std::uint64_t>(value));
    return *this;
}

WireMessage& WireMessage::number(int field, float value) {
    varint(key(field, fixed32_type));
    fixed(std::bit_cast<std::uint32_t>(value), 4);
    return *this;
}

WireMessage& WireMessage::number(int field, double value) {
    varint(key(field, fixed64_type));
    fixed(std::bit_cast<std::uint64_t>(value), 8);
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

}  // namespace strata
