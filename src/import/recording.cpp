// SPDX-License-Identifier: MIT
#include "import/recording.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace strata {

namespace {

constexpr std::size_t longest_text = 4096;
constexpr std::size_t most_texts = 1'000'000;
constexpr double most_nanoseconds = 4e18;  // sums and differences of two cannot overflow

// Well-formed, and no longer than a name needs to be.
std::string cleaned(std::string_view text) {
    std::string clean;
    while (!text.empty() && clean.size() < longest_text) {
        const CodePoint one = decode_utf8(text);
        clean += one.valid ? std::string(text.substr(0, one.length)) : "?";
        text.remove_prefix(one.length);
    }
    return clean;
}

std::string counted_events(std::uint64_t count) {
    return count == 1 ? "1 event was" : fmt::format("{} events were", count);
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// "123.4567" in thousandths: 123457. Only digits and one point; nothing else, or too many digits.
std::optional<std::int64_t> parse_thousandths(std::string_view text) {
    const auto point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::string_view part = point == text.npos ? std::string_view() : text.substr(point + 1);
    if (whole.empty() || whole.size() > 15) {
        return {};
    }
    std::int64_t value = 0;
    for (const char c : whole) {
        if (!is_digit(c)) {
            return {};
        }
        value = value * 10 + (c - '0');
    }
    for (int i = 0; i < 3; ++i) {
        const char c = part.empty() ? '0' : part.front();
        if (!is_digit(c)) {
            return {};
        }
        value = value * 10 + (c - '0');
        part.remove_prefix(part.empty() ? 0 : 1);
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
        if (!is_digit(part[i])) {
            return {};
        }
        value += i == 0 && part[i] >= '5' ? 1 : 0;
    }
    return value;
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
    if (all_.size() == most_texts) {
        throw Error(
            fmt::format("the file names more than {} different things, more than any "
                        "network has; record fewer iterations",
                        most_texts));
    }
    all_.push_back(std::move(clean));
    const auto id = static_cast<TextId>(all_.size() - 1);
    ids_.emplace(all_.back(), id);
    return id;
}

void LeftOut::add_to(std::vector<std::string>& doubts) const {
    if (nameless > 0) {
        doubts.push_back(
            fmt::format("{} left out because they have no name", counted_events(nameless)));
    }
    if (implausible > 0) {
        doubts.push_back(
            fmt::format("{} left out: the time is negative, not a number or longer than an hour, "
                        "as if a clock had wrapped",
                        counted_events(implausible)));
    }
}

std::optional<Nanoseconds> parse_nanoseconds(std::string_view text, double unit_ns) {
    if (unit_ns == 1000) {
        if (const auto exact = parse_thousandths(text)) {
            return Nanoseconds(*exact);
        }
    }
    if (unit_ns == 1) {
        if (const auto exact = parse_integer(text)) {
            return std::abs(static_cast<double>(*exact)) < most_nanoseconds
                       ? std::optional(Nanoseconds(*exact))
                       : std::nullopt;
        }
    }
    const auto value = parse_number(text);
    if (!value || !std::isfinite(*value) || std::abs(*value * unit_ns) >= most_nanoseconds) {
        return {};
    }
    return Nanoseconds(std::llround(*value * unit_ns));
}

bool is_plausible(Nanoseconds duration) {
    return duration >= Nanoseconds::zero() && duration <= std::chrono::hours(1);
}

}  // namespace strata
