// SPDX-License-Identifier: MIT
#include "networks/dnnmark/section.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

[[noreturn]] void refuse_line(std::string_view origin, std::size_t line,
                              const std::string& sentence) {
    throw Error(fmt::format("{}:{}: {}", printable(origin, 400), line, sentence));
}

}  // namespace

void DnnMarkSection::add(DnnMarkSetting setting) {
    settings_.push_back(std::move(setting));
}

bool DnnMarkSection::has(std::string_view key) const {
    return std::ranges::find(settings_, key, &DnnMarkSetting::key) != settings_.end();
}

// The last one wins, as in DNNMark.
const DnnMarkSetting* DnnMarkSection::find(std::string_view key) {
    taken_.emplace_back(key);
    const DnnMarkSetting* found = nullptr;
    for (const DnnMarkSetting& setting : settings_) {
        found = setting.key == key ? &setting : found;
    }
    return found;
}

void DnnMarkSection::refuse(std::string_view key, const std::string& sentence) const {
    std::size_t line = line_;
    for (const DnnMarkSetting& setting : settings_) {
        line = setting.key == key ? setting.line : line;
    }
    refuse_line(origin_, line, sentence);
}

void DnnMarkSection::refuse_value(const DnnMarkSetting& setting, std::string_view wanted) const {
    const bool open = setting.value.starts_with('$');
    refuse_line(
        origin_, setting.line,
        open ? fmt::format("variable {} has no value; give it one with --set",
                           printable(setting.value, 40))
             : fmt::format("{}={} is not {}", setting.key, printable(setting.value, 40), wanted));
}

std::string DnnMarkSection::text(std::string_view key, std::string_view otherwise) {
    const DnnMarkSetting* setting = find(key);
    return setting != nullptr ? setting->value : std::string(otherwise);
}

std::int64_t DnnMarkSection::integer_of(const DnnMarkSetting& setting) const {
    constexpr std::int64_t largest = std::int64_t{1} << 30;  // no sum or product of two overflows
    const auto value = parse_integer(setting.value);
    if (!value || *value < 0 || *value > largest) {
        refuse_value(setting, fmt::format("a whole number from 0 to {}; correct it", largest));
    }
    return *value;
}

std::int64_t DnnMarkSection::integer(std::string_view key, std::int64_t otherwise) {
    const DnnMarkSetting* setting = find(key);
    return setting != nullptr ? integer_of(*setting) : otherwise;
}

double DnnMarkSection::number(std::string_view key, double otherwise) {
    const DnnMarkSetting* setting = find(key);
    const auto value = setting != nullptr ? parse_number(setting->value) : otherwise;
    if (!value) {
        refuse_value(*setting, "a number; correct it");
    }
    return *value;
}

std::size_t DnnMarkSection::choice(std::string_view key, std::span<const std::string_view> names) {
    const DnnMarkSetting* setting = find(key);
    if (setting == nullptr) {
        return 0;
    }
    const auto found = std::ranges::find(names, setting->value);
    if (found == names.end()) {
        refuse_value(*setting, fmt::format("known; use one of {}", fmt::join(names, ", ")));
    }
    return static_cast<std::size_t>(found - names.begin());
}

std::array<std::int64_t, 2> DnnMarkSection::pair(std::string_view key, std::int64_t otherwise) {
    const std::string height = fmt::format("{}_h", key);
    const std::string width = fmt::format("{}_w", key);
    std::array<std::int64_t, 2> values = {otherwise, otherwise};
    for (const DnnMarkSetting& setting : settings_) {
        if (setting.key == key || setting.key == height) {
            values[0] = integer_of(setting);
        }
        if (setting.key == key || setting.key == width) {
            values[1] = integer_of(setting);
        }
    }
    taken_.insert(taken_.end(), {std::string(key), height, width});
    return values;
}

void DnnMarkSection::ignore(std::span<const std::string_view> keys) {
    taken_.insert(taken_.end(), keys.begin(), keys.end());
}

void DnnMarkSection::finish() const {
    for (const DnnMarkSetting& setting : settings_) {
        if (std::ranges::find(taken_, setting.key) == taken_.end()) {
            const auto meant = nearest(setting.key, taken_);
            refuse_line(origin_, setting.line,
                        fmt::format("[{}] has no key \"{}\"; {}", name_, printable(setting.key, 40),
                                    meant ? fmt::format("did you mean \"{}\"?", *meant)
                                          : "use one of " + join(taken_, ", ")));
        }
    }
}

}  // namespace strata
