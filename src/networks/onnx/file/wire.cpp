// SPDX-License-Identifier: MIT
#include "networks/onnx/file/wire.h"

#include "base/error.h"
#include "base/text.h"

#include <bit>
#include <cstring>

namespace strata {

std::string quoted_name(const WireFile& file) {
    return "'" + printable(file.name, 400) + "'";
}

void refuse(const WireFile& file, const std::string& sentence, ExitCode code) {
    throw Error(quoted_name(file) + ": " + sentence, code);
}

namespace {

[[noreturn]] void fail_at(const WireFile& file, const std::byte* where, const std::string& what) {
    throw Error(quoted_name(file) + " is not a complete ONNX file: at byte " +
                std::to_string(where - file.bytes.data()) + " " + what +
                "; export or copy it again");
}

void require(const WireField& field, WireType type) {
    if (field.type != type) {
        throw Error(quoted_name(*field.file) + " is not an ONNX file: its field " +
                    std::to_string(field.number) + " has wire type " +
                    std::to_string(static_cast<int>(field.type)) + " where ONNX has " +
                    std::to_string(static_cast<int>(type)) + "; export it again");
    }
}

template <class T>
T little_endian(std::span<const std::byte> bytes) {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

}  // namespace

void WireReader::fail(const std::string& what) const {
    fail_at(*file_, rest_.data(), what);
}

std::uint64_t WireReader::read_varint() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 10; ++i) {
        if (i == rest_.size()) {
            fail("it ends within a number");
        }
        const auto byte = std::to_integer<std::uint64_t>(rest_[i]);
        value |= (byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            rest_ = rest_.subspan(i + 1);
            return value;
        }
    }
    fail("a number has more than 64 bits");
}

std::span<const std::byte> WireReader::take(std::uint64_t size) {
    if (size > rest_.size()) {
        fail("a field of " + std::to_string(size) + " bytes begins, but " +
             std::to_string(rest_.size()) + " are left");
    }
    const auto taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(taken.size());
    return taken;
}

std::optional<WireField> WireReader::next() {
    if (rest_.empty()) {
        return std::nullopt;
    }
    const std::byte* start = rest_.data();
    const std::uint64_t key = read_varint();
    WireField field{.number = key >> 3,
                    .type = static_cast<WireType>(key & 7),
                    .value = 0,
                    .bytes = {},
                    .file = file_};
    switch (field.type) {
        case WireType::varint:
            field.value = read_varint();
            return field;
        case WireType::fixed64:
            field.value = little_endian<std::uint64_t>(take(8));
            return field;
        case WireType::bytes:
            field.bytes = take(read_varint());
            return field;
        case WireType::fixed32:
            field.value = little_endian<std::uint32_t>(take(4));
            return field;
    }
    fail_at(*file_, start,
            "stands wire type " + std::to_string(key & 7) + ", which ONNX never uses");
}

WireReader as_message(const WireField& field) {
    require(field, WireType::bytes);
    return WireReader(*field.file, field.bytes);
}

std::string_view as_text(const WireField& field) {
    require(field, WireType::bytes);
    return {reinterpret_cast<const char*>(field.bytes.data()), field.bytes.size()};
}

std::int64_t as_integer(const WireField& field) {
    require(field, WireType::varint);
    return static_cast<std::int64_t>(field.value);
}

float as_float(const WireField& field) {
    require(field, WireType::fixed32);
    return std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
}

namespace {

// Appends many consecutive varints.
void append_packed(const WireField& field, std::vector<std::int64_t>& numbers) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const std::byte& one : field.bytes) {
        const auto byte = std::to_integer<std::uint64_t>(one);
        if (shift > 63) {
            fail_at(*field.file, &one, "a number has more than 64 bits");
        }
        value |= (byte & 0x7F) << shift;
        shift += 7;
        if (byte < 0x80) {
            numbers.push_back(static_cast<std::int64_t>(value));
            value = 0;
            shift = 0;
        }
    }
    if (shift != 0) {
        fail_at(*field.file, field.bytes.data() + field.bytes.size(), "it ends within a number");
    }
}

}  // namespace

void append_integers(const WireField& field, std::vector<std::int64_t>& numbers) {
    if (field.type == WireType::varint) {
        numbers.push_back(as_integer(field));
        return;
    }
    require(field, WireType::bytes);
    append_packed(field, numbers);
}

void append_floats(const WireField& field, std::vector<float>& numbers) {
    if (field.type == WireType::fixed32) {
        numbers.push_back(as_float(field));
        return;
    }
    WireElements elements;
    elements.append(field, sizeof(float));
    const auto bytes = elements.bytes();
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(float)) {
        numbers.push_back(little_endian<float>(bytes.subspan(i, sizeof(float))));
    }
}

void WireElements::append(const WireField& field, std::size_t size) {
    if (field.type != WireType::bytes) {
        require(field, size == 8 ? WireType::fixed64 : WireType::fixed32);
    } else if (field.bytes.size() % size != 0) {
        fail_at(*field.file, field.bytes.data(),
                "a list of numbers of " + std::to_string(size) + " bytes each has " +
                    std::to_string(field.bytes.size()) + " bytes");
    }
    if (field.type == WireType::bytes && bytes().empty()) {
        view_ = field.bytes;
        return;
    }
    if (joined_.empty()) {
        joined_.assign(view_.begin(), view_.end());
    }
    const auto single = std::as_bytes(std::span(&field.value, 1)).first(size);
    const auto added = field.type == WireType::bytes ? field.bytes : single;
    joined_.insert(joined_.end(), added.begin(), added.end());
}

}  // namespace strata
