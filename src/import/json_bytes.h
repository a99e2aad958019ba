// SPDX-License-Identifier: MIT
#pragma once

#include "import/source.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace strata {

// The bytes of a JSON file as nlohmann's parser takes them. The reader's `require_short_value` is
// called every few thousand bytes: a token without an end would fill the memory.
template <class Reader>
class JsonBytes {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    JsonBytes() = default;
    JsonBytes(ByteSource& source, const Reader& reader) : source_(&source), reader_(&reader) {}

    // (Between tokens a blank is as good as any other control character that may stand there.)
    char operator*() const {
        const char byte = source_->byte();
        return static_cast<unsigned char>(byte) < ' ' ? ' ' : byte;
    }
    JsonBytes& operator++() {
        source_->advance();
        if (++taken_ % bytes_between_checks == 0) {
            reader_->require_short_value();
        }
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const JsonBytes& a, const JsonBytes& b) {
        return a.has_ended() == b.has_ended();
    }

private:
    bool has_ended() const { return source_ == nullptr || source_->is_at_end(); }

    static constexpr std::uint64_t bytes_between_checks = 4096;

    ByteSource* source_ = nullptr;
    const Reader* reader_ = nullptr;
    std::uint64_t taken_ = 0;
};

}  // namespace strata
