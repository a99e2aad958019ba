// SPDX-License-Identifier: MIT
#pragma once

#include "base/hash.h"
#include "base/utf16.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace strata {

// The bytes of a foreign file, unpacked if it is compressed (gzip), and converted to UTF-8 if its
// byte order mark says UTF-16 (as from a redirecting Windows shell); block by block, so that a file
// of any size needs little memory.
class ByteSource {
public:
    // Throws Error, naming the file, if it cannot be read.
    explicit ByteSource(std::filesystem::path file);

    // Whether all bytes were consumed.
    bool is_at_end() { return at_ == end_ && !refill(); }
    // Requires: !is_at_end().
    char byte() const { return *at_; }
    void advance() { ++at_; }

    // The next line without its end; false after the last one. Throws Error for one of more than a
    // megabyte.
    bool next_line(std::string& line);

    // Consumes all remaining bytes, for their hash.
    void skip_rest();

    // The number of bytes consumed, and the hash of the bytes read from the file.
    std::uint64_t position() const { return before_ + static_cast<std::uint64_t>(at_ - start()); }
    std::uint64_t hash() const { return hash_; }
    // Whether a compressed file ends before its end mark.
    bool is_cut() const { return is_cut_; }
    const std::filesystem::path& file() const { return file_; }
    std::string name() const;  // for messages

private:
    struct Close {
        void operator()(gzFile_s* handle) const;
    };

    const char* start() const { return block_.data(); }
    bool refill();
    std::size_t read_block();
    void take_mark();
    void decode();

    std::filesystem::path file_;
    std::unique_ptr<gzFile_s, Close> handle_;
    std::vector<char> block_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::uint64_t before_ = 0;  // bytes in earlier blocks
    bool has_begun_ = false;
    std::unique_ptr<Utf16Decoder> decoder_ = {};  // of a file in UTF-16
    std::uint64_t hash_ = empty_hash;
    bool is_cut_ = false;
};

// The first bytes of a file, unpacked, which identify its format.
std::string head_of(const std::filesystem::path& file, std::size_t bytes = 1 << 16);

}  // namespace strata
