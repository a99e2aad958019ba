// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// The text of a small file: the kernel's files under /proc and /sys, a settings file. Nothing if it
// cannot be read or is longer than `limit`.
std::optional<std::string> read_small_file(const std::filesystem::path& path,
                                           std::size_t limit = 1 << 20);

// Why read_small_file failed, for a message: "Permission denied".
std::string why_not_read(const std::filesystem::path& path);

// Overwrites a file in place, for files that nobody else reads meanwhile: the kernel's files under
// /proc, and files in our own folders. False if that fails.
bool write_in_place(const std::filesystem::path& path, std::string_view text);

// Replaces a whole file atomically and creates its folder if needed: a reader sees the old text or
// the new, even after a crash. Throws Error, naming the file, if that fails.
void replace_file(const std::filesystem::path& path, std::string_view text);

// A regular file mapped read-only into memory. Ownership is shared, because views of its bytes
// (the weights of a network) outlive whoever opened it.
class MappedFile {
public:
    // Throws Error, naming the file, if it is missing, unreadable or not a regular file.
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

// The user's data directory by the XDG base directory specification: $XDG_DATA_HOME if it is
// absolute (a relative one is invalid and ignored), else ~/.local/share. Nothing if HOME is not set
// either.
std::optional<std::filesystem::path> data_home();

// The value of an environment variable; nothing if it is unset or empty.
std::optional<std::filesystem::path> path_in_environment(const char* name);

// A text file embedded in the program, so that it needs no other files (strata_embedded_files).
struct EmbeddedFile {
    std::string_view name;  // without its suffix
    std::string_view text;
};

}  // namespace strata
