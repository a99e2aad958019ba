// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The file of a reader, for messages: its name and the start of its bytes.
struct WireFile {
    std::string name;
    std::span<const std::byte> bytes;
};

// The file's name as a message shows it.
std::string quoted_name(const WireFile& file);

// Aborts the import: throws Error with the file's name before the sentence.
[[noreturn]] void refuse(const WireFile& file, const std::string& sentence,
                         ExitCode code = ExitCode::failed);

// Protobuf's wire types; groups (3 and 4) are long obsolete and refused.
enum class WireType { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// One field of a message: a view of its bytes, or its number.
struct WireField {
    std::uint64_t number = 0;
    WireType type = WireType::varint;
    std::uint64_t value = 0;           // of varint, fixed64 and fixed32
    std::span<const std::byte> bytes;  // of bytes
    const WireFile* file = nullptr;
};

// Reads the fields of one protobuf message in order. Each length is checked against the remaining
// bytes, so no field extends beyond its message; the caller skips unknown fields. There is no limit
// of 2 GB. Throws Error that names the file and the byte.
class WireReader {
public:
    // Requires: `message` is part of `file`, which outlives the reader.
    WireReader(const WireFile& file, std::span<const std::byte> message)
        : file_(&file), rest_(message) {}

    // The next field, or nothing at the end of the message.
    std::optional<WireField> next();

private:
    std::uint64_t read_varint();
    std::span<const std::byte> take(std::uint64_t size);
    [[noreturn]] void fail(const std::string& what) const;

    const WireFile* file_;
    std::span<const std::byte> rest_;
};

// A field's content as a type. Throws Error if the field has another wire type.
WireReader as_message(const WireField& field);
std::string_view as_text(const WireField& field);
std::int64_t as_integer(const WireField& field);
float as_float(const WireField& field);

// Appends a repeated field's content: one number (unpacked) or many (packed).
void append_integers(const WireField& field, std::vector<std::int64_t>& numbers);
void append_floats(const WireField& field, std::vector<float>& numbers);

// The elements of a repeated fixed-size field as bytes: a view if they are one packed run, as they
// nearly always are, otherwise a joined copy.
class WireElements {
public:
    // `size` is that of one element, 4 or 8.
    void append(const WireField& field, std::size_t size);
    std::span<const std::byte> bytes() const {
        return joined_.empty() ? view_ : std::span<const std::byte>(joined_);
    }
    // Whether the bytes belong to this object and not to the file.
    bool is_joined() const { return !joined_.empty(); }

private:
    std::span<const std::byte> view_;
    std::vector<std::byte> joined_;
};

}  // namespace strata
