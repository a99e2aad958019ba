// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// An array from a NumPy .npy file: extents outermost first, values in row-major order, always float
// whatever the file's element type.
struct NpyArray {
    std::vector<std::int64_t> dims;
    std::vector<float> values;

    bool operator==(const NpyArray&) const = default;
};

// Reads format 1, 2 or 3 with little-endian f2, f4, f8, i4, i8, u1 or bool elements in C order.
// Throws Error, naming the file and the fix, for anything else.
NpyArray read_npy(const std::filesystem::path& path);
NpyArray parse_npy(std::span<const std::byte> file, std::string_view name);

// Writes format 1 with f4 elements. Requires: as many values as `dims` has elements. Throws Error
// if the file cannot be written whole.
void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> dims,
               std::span<const float> values);

}  // namespace strata
