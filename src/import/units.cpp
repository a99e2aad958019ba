// SPDX-License-Identifier: MIT
#include "import/units.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace strata {

namespace {

constexpr double max_nanoseconds = 4e18;  // so that sums and differences of two cannot overflow

struct NamedTimeUnit {
    std::string_view name;
    TimeUnit unit;
};
// THE names of units of time: ns, us, ms and s in nvprof, nsys, rocprof and newer Nsight Compute,
// the longer ones in older Nsight Compute and handwritten files.
constexpr std::array time_units = {
    NamedTimeUnit{"ns", TimeUnit::nanosecond},
    NamedTimeUnit{"nsec", TimeUnit::nanosecond},
    NamedTimeUnit{"nsecond", TimeUnit::nanosecond},
    NamedTimeUnit{"nanosecond", TimeUnit::nanosecond},
    NamedTimeUnit{"nanoseconds", TimeUnit::nanosecond},
    NamedTimeUnit{"us", TimeUnit::microsecond},
    NamedTimeUnit{"usec", TimeUnit::microsecond},
    NamedTimeUnit{"usecond", TimeUnit::microsecond},
    NamedTimeUnit{"microsecond", TimeUnit::microsecond},
    NamedTimeUnit{"microseconds", TimeUnit::microsecond},
    NamedTimeUnit{"\xC2\xB5s", TimeUnit::microsecond},  // the micro sign, and Greek mu
    NamedTimeUnit{"\xCE\xBCs", TimeUnit::microsecond},
    NamedTimeUnit{"ms", TimeUnit::millisecond},
    NamedTimeUnit{"msec", TimeUnit::millisecond},
    NamedTimeUnit{"msecond", TimeUnit::millisecond},
    NamedTimeUnit{"millisecond", TimeUnit::millisecond},
    NamedTimeUnit{"milliseconds", TimeUnit::millisecond},
    NamedTimeUnit{"s", TimeUnit::second},
    NamedTimeUnit{"sec", TimeUnit::second},
    NamedTimeUnit{"second", TimeUnit::second},
    NamedTimeUnit{"seconds", TimeUnit::second},
};

// The number of decimals that are whole nanoseconds.
constexpr int decimals_of(TimeUnit unit) {
    return 3 * static_cast<int>(unit);
}

struct Prefix {
    std::string_view text;
    double factor;
};
constexpr std::array prefixes = {
    Prefix{"", 1},        Prefix{"K", 1e3},     Prefix{"k", 1e3},     Prefix{"M", 1e6},
    Prefix{"G", 1e9},     Prefix{"T", 1e12},    Prefix{"P", 1e15},    Prefix{"Ki", 0x1p10},
    Prefix{"Mi", 0x1p20}, Prefix{"Gi", 0x1p30}, Prefix{"Ti", 0x1p40},
};

struct CountedThing {
    std::string_view name;
    std::string_view plain;
};
// THE things that tools count; a prefix may precede them.
constexpr std::array counted_things = {
    CountedThing{"byte", "B"},
    CountedThing{"bytes", "B"},
    CountedThing{"B", "B"},
    CountedThing{"hz", "Hz"},
    CountedThing{"Hz", "Hz"},
    CountedThing{"bit", "bit"},
    CountedThing{"block", "block"},
    CountedThing{"cycle", "cycle"},
    CountedThing{"cycles", "cycle"},
    CountedThing{"inst", "inst"},
    CountedThing{"instruction", "inst"},
    CountedThing{"instructions", "inst"},
    CountedThing{"request", "request"},
    CountedThing{"requests", "request"},
    CountedThing{"sector", "sector"},
    CountedThing{"sectors", "sector"},
    CountedThing{"register", "register"},
    CountedThing{"thread", "thread"},
    CountedThing{"threads", "thread"},
    CountedThing{"warp", "warp"},
    CountedThing{"warps", "warp"},
    CountedThing{"wavefront", "wavefront"},
    CountedThing{"tag", "tag"},
    CountedThing{"transaction", "transaction"},
    CountedThing{"SM", "SM"},
    CountedThing{"device", "device"},
    CountedThing{"issue", "issue"},
    CountedThing{"op", "op"},
};

std::optional<CounterUnit> counted_thing(std::string_view name) {
    for (const Prefix& prefix : prefixes) {
        if (!name.starts_with(prefix.text)) {
            continue;
        }
        const auto thing =
            std::ranges::find(counted_things, name.substr(prefix.text.size()), &CountedThing::name);
        if (thing != counted_things.end()) {
            return CounterUnit{prefix.factor, std::string(thing->plain)};
        }
    }
    return {};
}

double nanoseconds_in(TimeUnit unit) {
    return std::pow(10.0, decimals_of(unit));
}

// Blanks as thousands separators: plain, the two non-breaking ones, and thin.
std::string with_plain_blanks(std::string_view text) {
    std::string plain(trim(text));
    for (const std::string_view blank : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "\xA0"}) {
        for (auto at = plain.find(blank); at != plain.npos; at = plain.find(blank)) {
            plain.replace(at, blank.size(), " ");
        }
    }
    return plain;
}

bool are_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "1234" for "1,234", with one kind of separator between groups of three digits.
std::optional<std::string> without_thousands(std::string_view text, char decimal_mark) {
    const auto first = text.find_first_not_of("0123456789");
    if (first == text.npos) {
        return are_digits(text) ? std::optional(std::string(text)) : std::nullopt;
    }
    const char separator = text[first];
    const bool may_separate =
        separator == ' ' || separator == '\'' || separator == (decimal_mark == '.' ? ',' : '.');
    const auto groups = split(text, separator);
    if (!may_separate || !are_digits(groups.front()) || groups.front().size() > 3 ||
        groups.front().starts_with('0')) {
        return {};
    }
    std::string plain(groups.front());
    for (std::size_t i = 1; i < groups.size(); ++i) {
        if (groups[i].size() != 3 || !are_digits(groups[i])) {
            return {};
        }
        plain += groups[i];
    }
    return plain;
}

// The number, if that is its decimal mark.
std::optional<std::string> plain_with(std::string_view text, char decimal_mark) {
    std::string sign;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        sign = text.front() == '-' ? "-" : "";
        text.remove_prefix(1);
    }
    const auto power = text.find_first_of("eE");
    const std::string_view exponent = power == text.npos ? "" : text.substr(power);
    text = text.substr(0, power);
    if (!exponent.empty()) {
        const bool has_sign = exponent.size() > 1 && (exponent[1] == '-' || exponent[1] == '+');
        if (!are_digits(exponent.substr(has_sign ? 2 : 1))) {
            return {};
        }
    }
    const auto mark = text.find(decimal_mark);
    const std::string_view fraction = mark == text.npos ? "" : text.substr(mark + 1);
    std::optional<std::string> whole = without_thousands(text.substr(0, mark), decimal_mark);
    if (mark == 0 && !fraction.empty()) {
        whole = "0";
    }
    if (!whole || (!fraction.empty() && !are_digits(fraction))) {
        return {};
    }
    return fmt::format("{}{}{}{}{}", sign, *whole, fraction.empty() ? "" : ".", fraction, exponent);
}

// The two possible meanings of a text as a number.
struct Meanings {
    std::optional<std::string> with_point;
    std::optional<std::string> with_comma;
};

Meanings meanings_of(std::string_view text) {
    const std::string plain = with_plain_blanks(text);
    return {plain_with(plain, '.'), plain_with(plain, ',')};
}

// "123.4567" in units of 10 to the minus `decimals`, rounded: 123457 in thousandths. Nothing for
// anything but digits and a point, or for too many digits.
std::optional<std::int64_t> parse_decimal(std::string_view text, int decimals) {
    constexpr std::size_t max_digits = 18;  // 64 bits hold every number of this many digits
    const auto point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view part = point == text.npos ? std::string_view() : text.substr(point + 1);
    const auto places = static_cast<std::size_t>(decimals);
    if (!are_digits(whole) || (!part.empty() && !are_digits(part)) ||
        whole.size() + places > max_digits) {
        return {};
    }
    std::string digits(whole);
    digits += part.substr(0, places);
    digits.append(places - std::min(places, part.size()), '0');
    const std::int64_t value = parse_integer(digits).value_or(0);
    return value + (part.size() > places && part[places] >= '5' ? 1 : 0);
}

}  // namespace

std::optional<TimeUnit> time_unit(std::string_view name) {
    const auto found = std::ranges::find(time_units, trim(name), &NamedTimeUnit::name);
    return found == time_units.end() ? std::nullopt : std::optional(found->unit);
}

std::optional<CounterUnit> counter_unit(std::string_view name) {
    name = trim(name);
    if (name.empty() || name == "%") {
        return CounterUnit{1, std::string(name)};
    }
    const auto slash = name.find('/');
    const std::string_view of = name.substr(0, slash);
    if (const auto unit = time_unit(of); unit && slash == name.npos) {
        return CounterUnit{nanoseconds_in(*unit), "ns"};
    }
    auto counted = counted_thing(of);
    if (!counted || slash == name.npos) {
        return counted;
    }
    const std::string_view per = name.substr(slash + 1);
    if (const auto unit = time_unit(per)) {
        return CounterUnit{counted->factor * 1e9 / nanoseconds_in(*unit), counted->name + "/s"};
    }
    const auto divisor = counted_thing(per);
    return divisor ? std::optional(CounterUnit{counted->factor / divisor->factor,
                                               counted->name + "/" + divisor->name})
                   : std::nullopt;
}

void NumberStyle::learn(std::string_view text) {
    const auto [with_point, with_comma] = meanings_of(text);
    const bool has_mark = text.find_first_of(".,") != text.npos;
    has_point_ = has_point_ || (has_mark && with_point && !with_comma);
    has_comma_ = has_comma_ || (has_mark && with_comma && !with_point);
}

std::optional<std::string> NumberStyle::plain(std::string_view text) const {
    auto [with_point, with_comma] = meanings_of(text);
    if (has_point_ != has_comma_) {
        return has_point_ ? with_point : with_comma;
    }
    if (!with_point || !with_comma || with_point == with_comma) {
        return with_point ? with_point : with_comma;
    }
    // Nothing in the file decides. Tools write a decimal point, and a comma only as a thousands
    // separator.
    const bool may_be_point = !has_point_ && text.find(',') == text.npos;
    return may_be_point ? with_point : std::nullopt;
}

std::optional<double> NumberStyle::number(std::string_view text) const {
    const auto value = parse_number(plain(text).value_or(""));
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<Nanoseconds> NumberStyle::time(std::string_view text, TimeUnit unit) const {
    return parse_time(plain(text).value_or(""), unit);
}

std::optional<std::uint32_t> parse_count(std::string_view text) {
    const std::string blanks = with_plain_blanks(text);
    auto digits = without_thousands(blanks, '.');
    digits = digits ? digits : without_thousands(blanks, ',');
    const auto value = parse_integer(digits.value_or(""));
    constexpr std::int64_t most = 2'000'000'000;
    return value ? std::optional(static_cast<std::uint32_t>(std::min(*value, most))) : std::nullopt;
}

std::optional<Nanoseconds> parse_time(std::string_view plain, TimeUnit unit) {
    if (const auto exact = parse_decimal(plain, decimals_of(unit))) {
        return Nanoseconds(*exact);
    }
    if (const auto whole = parse_integer(plain); whole && unit == TimeUnit::nanosecond) {
        return std::abs(static_cast<double>(*whole)) < max_nanoseconds
                   ? std::optional(Nanoseconds(*whole))
                   : std::nullopt;
    }
    const auto value = parse_number(plain);
    const double nanoseconds = value.value_or(0) * nanoseconds_in(unit);
    if (!value || !std::isfinite(nanoseconds) || std::abs(nanoseconds) >= max_nanoseconds) {
        return {};
    }
    return Nanoseconds(std::llround(nanoseconds));
}

}  // namespace strata
