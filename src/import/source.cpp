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

constexpr std::size_t block_bytes = 1 << 16;  // fits into a second-level cache
constexpr std::size_t longest_line = 1 << 20;

}  // namespace

ByteSource::ByteSource(std::filesystem::path file) : file_(std::move(file)), block_(block_bytes) {
    at_ = end_ = start();
    if (!std::filesystem::is_regular_file(file_)) {
        throw Error(fmt::format("'{}' cannot be read as a file; check its name", name()));
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
    const int got = gzread(handle_.get(), block_.data(), static_cast<unsigned>(block_.size()));
    int error = Z_OK;
    gzerror(handle_.get(), &error);
    at_ = end_ = start();
    if (error == Z_BUF_ERROR) {
        is_cut_ = true;
    } else if (got < 0) {
        throw Error(
            fmt::format("'{}' cannot be unpacked beyond byte {}: it is damaged; record it "
                        "or copy it again",
                        name(), before_));
    }
    if (got <= 0) {
        return false;
    }
    end_ = start() + got;
    hash_ = hash_of(std::as_bytes(std::span(at_, end_)), hash_);
    return true;
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
                fmt::format("'{}' has a line of more than a megabyte at byte {}: it is no "
                            "file of the kind that it was taken for",
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
