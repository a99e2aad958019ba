// SPDX-License-Identifier: MIT
#include "base/npy.h"

#include "base/error.h"
#include "base/file.h"
#include "base/half.h"
#include "base/new_file.h"
#include "base/text.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

namespace strata {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void refuse(std::string_view name, const std::string& reason) {
    throw Error("'" + printable(name, 400) + "' " + reason);
}

// How to convert one element type to float.
struct ElementType {
    std::string_view descriptor;  // NumPy's own: byte order, kind, bytes
    std::size_t size;
    float (*read)(const std::byte* element);
};

template <class T>
float read_as(const std::byte* element) {
    T value;
    std::memcpy(&value, element, sizeof value);
    return static_cast<float>(value);
}

float read_half(const std::byte* element) {
    std::uint16_t bits;
    std::memcpy(&bits, element, sizeof bits);
    return float_of_half(bits);
}

float read_bool(const std::byte* element) {
    return *element == std::byte{0} ? 0.0f : 1.0f;
}

constexpr std::array<ElementType, 7> element_types = {{{"<f4", 4, read_as<float>},
                                                       {"<f2", 2, read_half},
                                                       {"<f8", 8, read_as<double>},
                                                       {"<i8", 8, read_as<std::int64_t>},
                                                       {"<i4", 4, read_as<std::int32_t>},
                                                       {"|u1", 1, read_as<std::uint8_t>},
                                                       {"|b1", 1, read_bool}}};

const ElementType& find_element_type(std::string_view descriptor, std::string_view name) {
    for (const ElementType& type : element_types) {
        if (type.descriptor == descriptor) {
            return type;
        }
    }
    refuse(name, "has elements of type '" + printable(descriptor) +
                     "'; save it with array.astype('<f4')");
}

// The header's dictionary and the elements that follow it.
struct Parts {
    std::string_view header;
    std::span<const std::byte> elements;
};

Parts split_file(std::span<const std::byte> file, std::string_view name) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    if (!text.starts_with(magic) || file.size() < 12) {
        refuse(name, "is not a NumPy file; write it with numpy.save");
    }
    const bool is_short = file[6] == std::byte{1};
    std::uint32_t length = 0;
    std::memcpy(&length, file.data() + 8, is_short ? 2 : 4);
    const std::size_t start = is_short ? 10 : 12;
    if (length > file.size() - start) {
        refuse(name, "is cut off within its header; copy it again");
    }
    return {text.substr(start, length), file.subspan(start + length)};
}

// The text after 'key': in the header, up to the closing character.
std::string_view value_of(std::string_view header, std::string_view key, char closing,
                          std::string_view name) {
    const std::string quoted = "'" + std::string(key) + "'";
    const auto at = header.find(quoted);
    const auto colon = at == std::string_view::npos ? at : header.find(':', at + quoted.size());
    const auto end = colon == std::string_view::npos ? colon : header.find(closing, colon);
    if (end == std::string_view::npos) {
        refuse(name, "has no '" + std::string(key) + "' in its header; write it with numpy.save");
    }
    return trim(header.substr(colon + 1, end - colon - 1));
}

std::string_view descriptor_of(std::string_view header, std::string_view name) {
    const auto quoted = value_of(header, "descr", ',', name);
    if (quoted.size() < 2 || quoted.front() != '\'' || quoted.back() != '\'') {
        refuse(name, "holds records, not plain numbers; save one array of numbers");
    }
    return quoted.substr(1, quoted.size() - 2);
}

std::vector<std::int64_t> dims_of(std::string_view header, std::string_view name) {
    const auto text = value_of(header, "shape", ')', name);
    std::vector<std::int64_t> dims;
    for (std::string_view part : split(text.substr(text.starts_with('(') ? 1 : 0), ',')) {
        if (trim(part).empty()) {
            continue;  // as in "(3,)" and "()"
        }
        const auto extent = parse_integer(trim(part));
        if (!extent || *extent < 0 || dims.size() == 32) {
            refuse(name, "has no valid 'shape' in its header; write it with numpy.save");
        }
        dims.push_back(*extent);
    }
    return dims;
}

// The number of elements in this many bytes; nothing if the extents disagree with it.
bool fills(std::span<const std::int64_t> dims, std::size_t element_size, std::size_t bytes) {
    std::int64_t wanted = static_cast<std::int64_t>(element_size);
    for (std::int64_t extent : dims) {
        if (__builtin_mul_overflow(wanted, extent, &wanted)) {
            return false;
        }
    }
    return static_cast<std::size_t>(wanted) == bytes;
}

std::string header_of(std::span<const std::int64_t> dims) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (std::int64_t extent : dims) {
        header += std::to_string(extent) + ",";
    }
    header += "), }";
    // The elements start at a multiple of 64 bytes, after magic, version, length and line feed.
    header.append(63 - (header.size() + 10) % 64, ' ');
    return header + "\n";
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> file, std::string_view name) {
    const auto [header, elements] = split_file(file, name);
    const ElementType& type = find_element_type(descriptor_of(header, name), name);
    if (value_of(header, "fortran_order", ',', name) != "False") {
        refuse(name, "is in Fortran order; save it with numpy.ascontiguousarray");
    }
    NpyArray array{.dims = dims_of(header, name), .values = {}};
    if (!fills(array.dims, type.size, elements.size())) {
        refuse(name, "holds " + std::to_string(elements.size()) +
                         " bytes of elements, which its shape does not; copy it again");
    }
    array.values.resize(elements.size() / type.size);
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        array.values[i] = type.read(elements.data() + i * type.size);
    }
    return array;
}

NpyArray read_npy(const std::filesystem::path& path) {
    const auto file = MappedFile::open(path);
    return parse_npy(file->bytes(), path.string());
}

void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> dims,
               std::span<const float> values) {
    check(fills(dims, sizeof(float), values.size_bytes()),
          "an array has as many values as its dims");
    const std::string header = header_of(dims);
    const auto length = static_cast<std::uint16_t>(header.size());
    NewFile file(path);
    file.write(magic);
    file.write(std::string_view("\x01\0", 2));
    file.write({reinterpret_cast<const char*>(&length), sizeof length});
    file.write(header);
    file.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    if (!file.keep()) {
        throw Error("cannot write '" + printable(path.string(), 400) +
                    "': " + std::strerror(errno) +
                    "; check that its folder exists, is writable and has room");
    }
}

}  // namespace strata
