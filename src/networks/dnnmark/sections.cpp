// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "networks/dnnmark/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace strata {

namespace {

constexpr std::size_t max_file = std::size_t{1} << 20;  // bytes; the largest known has 8 thousand
constexpr std::size_t max_key = 64;

// The values that DNNMark's script substitutes if its user gives none. The algorithm lines are then
// omitted.
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
