// SPDX-License-Identifier: MIT
#include "import/source.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

namespace strata {

namespace {

constexpr std::size_t block_bytes = 1 << 16;  // fits in a second-level cache
constexpr std::size_t longest_line = 1 << 20;
constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
constexpr std::string_view utf16_little_mark = "\xFF\xFE";
constexpr std::string_view utf16_big_mark = "\xFE\xFF";

const char* what_no_file_is(const std::filesystem::file_status& status) {
    return is_directory(status) ? "is a folder; name one of the files in it"
           : exists(status)     ? "is not a regular file; copy its content into one"
                                : "cannot be read as a file; check its name";
}

}  // namespace

ByteSource::ByteSource(std::filesystem::path file) : file_(std::move(file)), block_(block_bytes) {
    at_ = end_ = start();
    // (Throws if a folder's permissions hide the file.)
    if (const auto status = std::filesystem::status(file_); !is_regular_file(status)) {
        throw Error(fmt::format("'{}' {}", name(), what_no_file_is(status)));
    }
    handle_.reset(gzopen(file_.c_str(), "rb"));
    if (!handle_) {
        throw Error(fmt::format("'{}' cannot be opened ({}); check its permissions", name(),
                                std::strerror(errno)));
    }
    gzbuffer(handle_.get(), block_bytes);
}

void ByteSource::Close::operator()(gzFile_s* handle) const {
    gzclose_r(handle);
}

std::string ByteSource::name() const {
    return printable(file_.string(), 1000);
}

bool ByteSource::refill() {
    before_ += static_cast<std::uint64_t>(end_ - start());
    do {
        const std::size_t got = read_block();
        at_ = start();
        end_ = at_ + got;
        if (got == 0) {
            return false;
        }
        hash_ = hash_of(std::as_bytes(std::span(at_, end_)), hash_);
        take_mark();
        decode();
    } while (at_ == end_);
    return true;
}

// Fills the block; returns its number of unpacked bytes.
std::size_t ByteSource::read_block() {
    block_.resize(block_bytes);
    const int got = gzread(handle_.get(), block_.data(), static_cast<unsigned>(block_.size()));
    int error = Z_OK;
    gzerror(handle_.get(), &error);
    if (error == Z_BUF_ERROR) {
        is_cut_ = true;
    } else if (got < 0) {
        throw Error(
            fmt::format("'{}' cannot be unpacked beyond byte {}: it is damaged; record it "
                        "or copy it again",
                        name(), before_));
    }
    return got > 0 ? static_cast<std::size_t>(got) : 0;
}

// A byte order mark precedes the file's first byte.
void ByteSource::take_mark() {
    if (has_begun_) {
        return;
    }
    has_begun_ = true;
    const std::string_view text(at_, end_);
    if (text.starts_with(utf8_mark)) {
        at_ += utf8_mark.size();
    } else if (text.starts_with(utf16_little_mark) || text.starts_with(utf16_big_mark)) {
        decoder_ = std::make_unique<Utf16Decoder>(text.starts_with(utf16_big_mark));
        at_ += utf16_big_mark.size();
    }
}

void ByteSource::decode() {
    if (decoder_) {
        const std::string text = decoder_->decoded({at_, end_});
        block_.assign(text.begin(), text.end());
        at_ = start();
        end_ = at_ + block_.size();
    }
}

void ByteSource::skip_rest() {
    while (!is_at_end()) {
        at_ = end_;
    }
}

bool ByteSource::next_line(std::string& line) {
    line.clear();
    if (is_at_end()) {
        return false;
    }
    while (!is_at_end()) {
        const char* const stop = std::find(at_, end_, '\n');
        line.append(at_, stop);
        at_ = stop;
        if (line.size() > longest_line) {
            throw Error(
                fmt::format("'{}' has a line of more than a megabyte at byte {}: it does not have "
                            "the format that it was read as",
                            name(), position()));
        }
        if (at_ != end_) {
            advance();
            break;
        }
    }
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    return true;
}

std::string head_of(const std::filesystem::path& file, std::size_t bytes) {
    ByteSource source(file);
    std::string head;
    for (; head.size() < bytes && !source.is_at_end(); source.advance()) {
        head += source.byte();
    }
    return head;
}

}  // namespace strata
