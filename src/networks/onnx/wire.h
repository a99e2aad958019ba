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

// The file behind a reader, for messages: its name and where its bytes start.
struct WireFile {
    std::string name;
    std::span<const std::byte> bytes;
};

// The file's name as a message shows it.
std::string quoted_name(const WireFile& file);

// Ends the import: throws Error with the file's name before the sentence.
[[noreturn]] void refuse(const WireFile& file, const std::string& sentence,
                         ExitCode code = ExitCode::failed);

// How protobuf puts a value on the wire; groups (3 and 4) are long dead and refused.
enum class WireType { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// One field of a message: a view of its bytes, or its number.
struct WireField {
    std::uint64_t number = 0;
    WireType type = WireType::varint;
    std::uint64_t value = 0;           // of varint, fixed64 and fixed32
    std::span<const std::byte> bytes;  // of bytes
    const WireFile* file = nullptr;
};

// Reads the fields of one protobuf message in order. Each length is checked against what is left,
// so no field reaches beyond its message; unknown fields are the caller's to skip. There is no
// limit of 2 GB. Throws Error that names the file and the byte.
class WireReader {
public:
    // Requires: `message` lies within `file`, which outlives the reader.
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

// A field's content as a type; throws Error where the file has another wire type there.
WireReader as_message(const WireField& field);
std::string_view as_text(const WireField& field);
std::int64_t as_integer(const WireField& field);
float as_float(const WireField& field);

// A repeated field's content, one number (unpacked) or many (packed), behind those already there.
void append_integers(const WireField& field, std::vector<std::int64_t>& numbers);
void append_floats(const WireField& field, std::vector<float>& numbers);

// Elements of a repeated fixed-size field as bytes: a view where they lie in one packed run, as
// they nearly always do, else joined.
class WireElements {
public:
    // `size` is that of one element, 4 or 8.
    void append(const WireField& field, std::size_t size);
    std::span<const std::byte> bytes() const {
        return joined_.empty() ? view_ : std::span<const std::byte>(joined_);
    }
    // Whether the bytes are this object's own rather than the file's.
    bool is_joined() const { return !joined_.empty(); }

private:
    std::span<const std::byte> view_;
    std::vector<std::byte> joined_;
};

}  // namespace strata
