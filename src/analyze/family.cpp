// SPDX-License-Identifier: MIT
#include "analyze/family.h"

#include "analyze/advice.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

namespace strata {

namespace {

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

// A name split at the boundaries of numbers: "h.", "12", ".mlp".
using Parts = std::vector<std::string_view>;

Parts parts_of(std::string_view name) {
    Parts parts;
    for (std::size_t begin = 0; begin < name.size();) {
        std::size_t end = begin + 1;
        while (end < name.size() && is_digit(name[end]) == is_digit(name[begin])) {
            ++end;
        }
        parts.push_back(name.substr(begin, end - begin));
        begin = end;
    }
    return parts;
}

// The name with '#' for each number: "h.#.mlp".
std::string pattern_of(std::string_view name) {
    std::string pattern;
    for (const std::string_view part : parts_of(name)) {
        pattern += is_digit(part.front()) ? "#" : std::string(part);
    }
    return pattern;
}

// The parts that differ among names of one pattern.
std::set<std::size_t> varying_parts(std::span<const std::string> names) {
    std::set<std::size_t> varying;
    const Parts first = parts_of(names.front());
    for (const std::string& name : names) {
        const Parts parts = parts_of(name);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i] != first[i]) {
                varying.insert(i);
            }
        }
    }
    return varying;
}

// Whether the name equals the first one except in the parts that vary.
bool is_like(const Parts& first, std::string_view name, const std::set<std::size_t>& varying) {
    const Parts parts = parts_of(name);
    if (parts.size() != first.size()) {
        return false;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool is_number = is_digit(first[i].front()) && is_digit(parts[i].front());
        if (parts[i] != first[i] && !(is_number && varying.contains(i))) {
            return false;
        }
    }
    return true;
}

// "h.0–h.47.mlp": the common suffix appears once.
std::string range_text(std::string_view first, std::string_view last) {
    const Parts one = parts_of(first), other = parts_of(last);
    std::size_t end = one.size();
    while (end > 0 && one[end - 1] == other[end - 1]) {
        --end;
    }
    const auto begins_at = [&](const Parts& parts, std::string_view name) {
        return end < parts.size() ? static_cast<std::size_t>(parts[end].data() - name.data())
                                  : name.size();
    };
    return fmt::format("{}–{}", first.substr(0, begins_at(one, first)), last);
}

// Names of one pattern as ranges of consecutive names among the network's matching
// layers.
std::vector<std::pair<std::string, std::size_t>> ranges_of(std::span<const std::string> names,
                                                           std::span<const std::string> layers) {
    const auto varying = varying_parts(names);
    const Parts first = parts_of(names.front());
    const std::set<std::string_view> wanted(names.begin(), names.end());
    std::vector<std::pair<std::string, std::size_t>> ranges;
    std::vector<std::string_view> open;
    std::size_t seen = 0;
    const auto close = [&] {
        if (!open.empty()) {
            ranges.emplace_back(open.size() == 1 ? std::string(open.front())
                                                 : range_text(open.front(), open.back()),
                                open.size());
            open.clear();
        }
    };
    for (const std::string& layer : layers) {
        if (wanted.contains(layer)) {
            open.push_back(layer);
            if (++seen == wanted.size()) {
                break;
            }
        } else if (is_like(first, layer, varying)) {
            close();
        }
    }
    close();
    return ranges;
}

}  // namespace

std::vector<std::size_t> families_of(std::span<const StepWork> steps) {
    using Key = std::tuple<std::string_view, Pass, StepKind, std::string>;
    std::map<Key, std::size_t> known;
    std::vector<std::size_t> families;
    families.reserve(steps.size());
    for (const StepWork& step : steps) {
        const std::string problem =
            step.problem.empty() ? "named " + pattern_of(step.layer) : std::string(step.problem);
        const auto number = known.size();
        families.push_back(
            known.try_emplace(Key{step.operation, step.pass, step.kind, problem}, number)
                .first->second);
    }
    return families;
}

LayerNames::LayerNames(std::vector<std::string> layers) {
    for (std::string& layer : layers) {
        layers_[pattern_of(layer)].push_back(std::move(layer));
    }
}

std::string LayerNames::text(std::span<const std::string> layers) const {
    constexpr std::size_t max_parts = 3;
    std::vector<std::string> patterns;
    std::map<std::string, std::vector<std::string>> by_pattern;
    std::unordered_set<std::string_view> seen;
    for (const std::string& layer : layers) {
        if (!seen.insert(layer).second) {
            continue;
        }
        const std::string pattern = pattern_of(layer);
        auto& names = by_pattern[pattern];
        if (names.empty()) {
            patterns.push_back(pattern);
        }
        names.push_back(layer);
    }
    std::vector<std::pair<std::string, std::size_t>> parts;
    std::size_t all = 0;
    for (const std::string& pattern : patterns) {
        const auto& names = by_pattern.at(pattern);
        all += names.size();
        const auto alike = layers_.find(pattern);
        auto ranges = alike == layers_.end() || names.size() == 1 ? ranges_of(names, names)
                                                                  : ranges_of(names, alike->second);
        if (ranges.empty()) {
            ranges = ranges_of(names, names);
        }
        std::ranges::move(ranges, std::back_inserter(parts));
    }
    if (parts.size() > max_parts) {
        const std::size_t told = parts[0].second + parts[1].second;
        return fmt::format("{}, {} and {} other layers", parts[0].first, parts[1].first,
                           all - told);
    }
    std::vector<std::string> texts;
    std::ranges::transform(parts, std::back_inserter(texts),
                           [](const auto& one) { return one.first; });
    return enumerated(texts);
}

}  // namespace strata
