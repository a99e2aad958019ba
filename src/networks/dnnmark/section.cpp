// SPDX-License-Identifier: MIT
#include "networks/dnnmark/section.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

std::size_t DnnMarkSection::choice(std::string_view key,
                                   std::initializer_list<std::string_view> names) {
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

void DnnMarkSection::ignore(std::initializer_list<std::string_view> keys) {
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

namespace {

constexpr std::size_t max_file = std::size_t{1} << 20;  // bytes; the largest known has 8 thousand
constexpr std::size_t max_key = 64;

// The values that DNNMark's script substitutes if the user gives none. The script then omits the
// algorithm lines.
const std::map<std::string, std::string> default_variables = {{"N", "64"},
                                                              {"C", "3"},
                                                              {"H", "32"},
                                                              {"W", "32"},
                                                              {"K", "128"},
                                                              {"S", "3"},
                                                              {"U", "1"},
                                                              {"P", "1"},
                                                              {"CUDNN_CBFA", ""},
                                                              {"CUDNN_CBDA", ""},
                                                              {"conv_bwd_filter_pref", "fastest"}};

// Variables that replace a whole line, and the key whose value they set.
const std::map<std::string, std::string> line_variables = {{"CUDNN_CBFA", "algo"},
                                                           {"CUDNN_CBDA", "algod"}};

bool is_name_character(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_';
}

// Reads a file into sections.
class FileReader {
public:
    FileReader(std::string_view origin, const std::map<std::string, std::string>& variables)
        : origin_(origin), given_(variables) {}

    void read(std::string_view line, std::size_t number) {
        number_ = number;
        const bool is_comment = trim(line).starts_with('#');
        const std::string expanded = is_comment ? "" : expand(trim(line));
        const std::string_view item = trim(expanded);
        if (item.starts_with('[')) {
            begin_section(item);
        } else if (!item.empty()) {
            add_setting(item);
        }
    }

    std::vector<DnnMarkSection> finish() {
        for (const auto& [name, value] : given_) {
            if (!used_.contains(name)) {
                throw Error(fmt::format("{}: it has no variable ${}; {}", printable(origin_, 400),
                                        printable(name, 40), known_variables()),
                            ExitCode::usage);
            }
        }
        return std::move(sections_);
    }

private:
    [[noreturn]] void refuse(const std::string& sentence) const {
        throw Error(fmt::format("{}:{}: {}", printable(origin_, 400), number_, sentence));
    }

    std::string known_variables() const {
        const std::vector<std::string> names(used_.begin(), used_.end());
        return names.empty() ? "remove it" : "it has " + join(names, ", ");
    }

    // Replaces each $NAME once; values are not expanded again.
    std::string expand(std::string_view line) {
        std::string result;
        while (!line.empty()) {
            const std::size_t dollar = std::min(line.find('$'), line.size());
            result += line.substr(0, dollar);
            line.remove_prefix(dollar);
            if (!line.empty()) {
                const auto end = std::ranges::find_if_not(line.substr(1), is_name_character);
                const auto length = static_cast<std::size_t>(end - line.begin());
                result += value_of(std::string(line.substr(1, length - 1)));
                line.remove_prefix(length);
            }
        }
        return result;
    }

    // An unknown variable is left unchanged: whether that matters depends on the key.
    std::string value_of(const std::string& name) {
        used_.insert(name);
        const auto given = given_.find(name);
        const auto preset = default_variables.find(name);
        if (given == given_.end() && preset == default_variables.end()) {
            return "$" + name;
        }
        const std::string value = given != given_.end() ? given->second : preset->second;
        const auto key = line_variables.find(name);
        const bool bare = value.find('=') == std::string::npos && !value.empty();
        return key != line_variables.end() && bare ? key->second + "=" + value : value;
    }

    void begin_section(std::string_view item) {
        if (item.back() != ']') {
            refuse(fmt::format("\"{}\" has no ']'; close the section's name", printable(item, 40)));
        }
        const std::string_view name = trim(item.substr(1, item.size() - 2));
        sections_.emplace_back(printable(name, 40), std::string(origin_), number_);
    }

    void add_setting(std::string_view item) {
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos) {
            refuse(fmt::format("\"{}\" is neither a [Section] nor key=value; correct it",
                               printable(item, 40)));
        }
        if (sections_.empty()) {
            refuse("a setting precedes the first section; begin with [DNNMark]");
        }
        const std::string_view key = trim(item.substr(0, equals));
        if (key.empty() || key.size() > max_key) {
            refuse(fmt::format("\"{}\" is not a key; correct it", printable(key, 40)));
        }
        sections_.back().add(
            {std::string(key), std::string(trim(item.substr(equals + 1))), number_});
    }

    std::string_view origin_;
    const std::map<std::string, std::string>& given_;
    std::set<std::string> used_;
    std::size_t number_ = 0;
    std::vector<DnnMarkSection> sections_;
};

}  // namespace

std::vector<DnnMarkSection> read_dnnmark_sections(
    std::string_view text, std::string_view origin,
    const std::map<std::string, std::string>& variables) {
    if (text.size() > max_file) {
        throw Error(
            fmt::format("{}: it has {} bytes, more than a DNNMark file can have ({}); name "
                        "another file",
                        printable(origin, 400), text.size(), max_file));
    }
    FileReader reader(origin, variables);
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
        reader.read(line, ++number);
    }
    return reader.finish();
}

}  // namespace strata
