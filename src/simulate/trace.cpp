// SPDX-License-Identifier: MIT
#include "simulate/trace.h"

#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <unordered_map>

namespace strata {

namespace {

constexpr std::size_t longest_line = 256;
constexpr std::uint64_t max_access_bytes = std::uint64_t{1} << 20;
constexpr std::size_t max_lines = std::size_t{1} << 24;
constexpr std::size_t accesses_together = 4096;

// "0x1f00" or "7936"; nothing for other text and for more than 64 bits.
std::optional<std::uint64_t> parse_address(std::string_view text) {
    const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = is_hexadecimal ? text.substr(2) : text;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                              is_hexadecimal ? 16 : 10);
    if (error != std::errc() || end != digits.data() + digits.size()) {
        return {};
    }
    return value;
}

// The words of a line, at most four of them.
std::array<std::string_view, 4> words_of(std::string_view line) {
    std::array<std::string_view, 4> words;
    std::size_t count = 0;
    while (count < words.size()) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) {
            break;
        }
        line.remove_prefix(begin);
        const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
        words[count++] = line.substr(0, end);
        line.remove_prefix(end);
    }
    return words;
}

[[noreturn]] void fail_cache(std::string_view text, std::string_view why) {
    throw Error(fmt::format("--cache {}: {}; give for example size=32KiB,line=64,ways=8",
                            printable(text), why),
                ExitCode::usage);
}

// Numbers of lines in the order of their first touch.
class LineNumbers {
public:
    explicit LineNumbers(std::uint64_t line_bytes) : shift_(std::countr_zero(line_bytes)) {}

    std::uint64_t line_of(std::uint64_t address) const { return address >> shift_; }

    LineNumber number_of(std::uint64_t line) {
        const auto found = numbers_.try_emplace(line, static_cast<LineNumber>(numbers_.size()));
        if (numbers_.size() > max_lines) {
            throw Error(
                fmt::format("the trace accesses more than {} lines: give longer lines, or a "
                            "part of it",
                            max_lines));
        }
        return found.first->second;
    }

private:
    int shift_;
    std::unordered_map<std::uint64_t, LineNumber> numbers_;
};

}  // namespace

TraceCache parse_trace_cache(std::string_view text) {
    TraceCache cache;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
        const auto bytes = parse_byte_size(value);
        const auto number = parse_integer(value);
        if (key == "size" && bytes) {
            cache.bytes = static_cast<std::uint64_t>(bytes->value);
        } else if (key == "line" && bytes) {
            cache.line_bytes = static_cast<std::uint64_t>(bytes->value);
        } else if (key == "ways" && number) {
            cache.ways = static_cast<int>(std::clamp<std::int64_t>(*number, 0, 1000));
        } else {
            fail_cache(text, fmt::format("'{}' is not a size, line or ways", printable(part)));
        }
    }
    if (!std::has_single_bit(cache.line_bytes) || cache.line_bytes < 16 ||
        cache.line_bytes > 4096) {
        fail_cache(text, "a line is a power of two from 16 to 4096 bytes");
    }
    if (cache.ways < 1 || cache.ways > 16) {
        fail_cache(text, "a cache has 1 to 16 ways");
    }
    if (cache.shape().sets() < 1 || cache.bytes > (std::uint64_t{1} << 33)) {
        fail_cache(text, "the size is from one set to 8 GiB");
    }
    return cache;
}

void TraceReader::fail(std::string_view what) const {
    throw Error(fmt::format("{}, line {}: {}; a line is `r` or `w`, an address and bytes", origin_,
                            line_, what));
}

TraceAccess TraceReader::parsed(std::string_view line) const {
    const auto words = words_of(line);
    TraceAccess access;
    if (words[0] != "r" && words[0] != "w") {
        fail(fmt::format("'{}' is neither r nor w", printable(words[0])));
    }
    access.kind = words[0] == "w" ? AccessKind::write : AccessKind::read;
    const auto address = parse_address(words[1]);
    if (!address) {
        fail(fmt::format("'{}' is not a 64-bit address", printable(words[1])));
    }
    const auto bytes = parse_address(words[2]);
    if (!bytes || *bytes == 0 || *bytes > max_access_bytes) {
        fail(fmt::format("'{}' is not a number of bytes from 1 to {}", printable(words[2]),
                         max_access_bytes));
    }
    if (!words[3].empty()) {
        fail(fmt::format("'{}' follows the bytes", printable(words[3])));
    }
    if (*address > std::numeric_limits<std::uint64_t>::max() - *bytes) {
        fail("the access ends beyond 64 bits");
    }
    access.address = *address;
    access.bytes = *bytes;
    return access;
}

std::optional<TraceAccess> TraceReader::next() {
    std::array<char, longest_line> buffer;
    while (input_.getline(buffer.data(), buffer.size()) || input_.gcount() > 0) {
        ++line_;
        if (input_.fail()) {
            fail(fmt::format("it is longer than {} characters", longest_line - 1));
        }
        const std::string_view line(buffer.data());
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != std::string_view::npos && line[first] != '#') {
            return parsed(line);
        }
    }
    if (input_.bad()) {
        throw Error(fmt::format("{} cannot be read", origin_));
    }
    return {};
}

SimulatedTrace simulate_trace(TraceReader& trace, const TraceCache& cache, CacheEngine engine) {
    constexpr std::uint8_t whole_line = 1;  // one sector represents the whole line
    SimulatedTrace found;
    LineNumbers numbers(cache.line_bytes);
    DistanceCache distances(cache.shape());
    SetAssociativeCache by_access = cache_of(cache.shape(), engine);
    std::vector<SectorAccess> accesses;
    const auto pass_on = [&] {
        if (engine != CacheEngine::distances) {
            by_access.access(accesses);
        }
        accesses.clear();
    };
    while (const auto access = trace.next()) {
        ++found.accesses;
        const std::uint64_t last = numbers.line_of(access->address + (access->bytes - 1));
        for (std::uint64_t line = numbers.line_of(access->address); line <= last; ++line) {
            const LineNumber number = numbers.number_of(line);
            accesses.push_back({number, whole_line, access->kind});
            distances.touch({.tile = {.first = number, .rows = 1, .lines_per_row = 1, .pitch = 0},
                             .sectors = whole_line,
                             .kind = access->kind},
                            1);
        }
        if (accesses.size() >= accesses_together) {
            pass_on();
        }
    }
    pass_on();
    found.lines = engine == CacheEngine::distances ? distances.counts()
                                                   : sectors_of(by_access, distances.counts());
    found.hit_rate_error = by_access.estimate().error;
    found.kinds = distances.kinds_of(found.lines.misses());
    return found;
}

}  // namespace strata
