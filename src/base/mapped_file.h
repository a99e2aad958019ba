// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace strata {

// A regular file mapped read-only into memory. Ownership is shared, because views of its bytes
// (the weights of a network) outlive whoever opened it.
class MappedFile {
public:
    // Throws Error, naming the file, where it is missing, unreadable or not a regular file.
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return {start_, size_}; }

private:
    MappedFile(const std::byte* start, std::size_t size) : start_(start), size_(size) {}

    const std::byte* start_;
    std::size_t size_;
};

}  // namespace strata
