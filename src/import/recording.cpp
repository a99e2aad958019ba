// SPDX-License-Identifier: MIT
#include "import/recording.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <chrono>

namespace strata {

namespace {

constexpr std::size_t longest_text = 4096;
constexpr std::size_t max_texts = 1'000'000;

// Makes a text valid UTF-8 and cuts it to the length of a name.
std::string cleaned(std::string_view text) {
    std::string clean;
    while (!text.empty() && clean.size() < longest_text) {
        const CodePoint one = decode_utf8(text);
        clean += one.valid ? std::string(text.substr(0, one.length)) : "?";
        text.remove_prefix(one.length);
    }
    return clean;
}

}  // namespace

TextId TextPool::id_of(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) {
        return found->second;
    }
    std::string clean =
        is_plain_ascii(text) && text.size() <= longest_text ? std::string(text) : cleaned(text);
    if (const auto found = ids_.find(clean); found != ids_.end()) {
        return found->second;
    }
    if (all_.size() == max_texts) {
        throw Error(
            fmt::format("the file names more than {} different things, more than any "
                        "network has; record fewer iterations",
                        max_texts));
    }
    all_.push_back(std::move(clean));
    const auto id = static_cast<TextId>(all_.size() - 1);
    ids_.emplace(all_.back(), id);
    return id;
}

bool is_plausible(Nanoseconds duration) {
    return duration >= Nanoseconds::zero() && duration <= std::chrono::hours(1);
}

}  // namespace strata
