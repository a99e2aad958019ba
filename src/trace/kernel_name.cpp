// SPDX-License-Identifier: MIT
#include "trace/kernel_name.h"

#include "base/text.h"
#include "trace/timeline.h"

#include <cstddef>
#include <map>
#include <string_view>

namespace strata {

namespace {

// The name without anything between angle brackets, parentheses and braces. An operator's own
// bracket ("operator<") is cut, too: nobody names a kernel that way.
std::string without_arguments(std::string_view name) {
    std::string kept;
    std::size_t depth = 0;
    for (const char c : name) {
        if (c == '<' || c == '(' || c == '{') {
            ++depth;
        } else if (c == '>' || c == ')' || c == '}') {
            depth -= depth > 0 ? 1 : 0;
        } else if (depth == 0) {
            kept += c;
        }
    }
    return kept;
}

// The text after the last of the separators.
std::string_view behind_last(std::string_view text, std::string_view separators) {
    const auto at = text.find_last_of(separators);
    return at == std::string_view::npos ? text : text.substr(at + 1);
}

}  // namespace

std::string bare_kernel_name(std::string_view full_name) {
    const std::string plain = without_arguments(full_name);
    const std::string_view bare = behind_last(trim(plain), ": ");
    return std::string(bare.empty() ? trim(full_name) : bare);
}

namespace {

constexpr int max_nested = 3;  // a name may be hostile

// Of a scope, or a template: "float" and "(Kind)0" are none.
bool is_class(std::string_view argument) {
    return !argument.starts_with('(') && argument.find_first_of(":<") != argument.npos;
}

// The first argument that is a class, of those up to the closing bracket; empty if none is.
std::string_view class_among(std::string_view arguments) {
    std::size_t depth = 0, begin = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const char c = arguments[i];
        if (depth == 0 && (c == ',' || c == '>')) {
            const std::string_view argument = trim(arguments.substr(begin, i - begin));
            if (is_class(argument) || c == '>') {
                return is_class(argument) ? argument : std::string_view();
            }
            begin = i + 1;
        } else if (c == '<' || c == '(' || c == '{') {
            ++depth;
        } else if (c == '>' || c == ')' || c == '}') {
            depth -= depth > 0 ? 1 : 0;
        }
    }
    return {};
}

std::string short_name(std::string_view full_name, int nested) {
    const std::string name = bare_kernel_name(full_name);
    const auto at = full_name.find(name + "<");
    if (nested == max_nested || at == full_name.npos) {
        return name;
    }
    const std::string_view inner = class_among(full_name.substr(at + name.size() + 1));
    return inner.empty() ? name : name + "<" + short_name(inner, nested + 1) + ">";
}

}  // namespace

std::string short_kernel_name(std::string_view full_name) {
    return short_name(full_name, 0);
}

std::vector<std::optional<std::uint32_t>> invocations_of(std::span<const Span> spans) {
    std::vector<std::optional<std::uint32_t>> invocations(spans.size());
    for (const std::uint32_t device : devices_of(spans)) {
        std::map<std::string_view, std::uint32_t> launched;
        for (const std::size_t i : timeline_of(spans, device).order) {
            if (spans[i].kind == SpanKind::kernel) {
                invocations[i] = ++launched[spans[i].name];
            }
        }
    }
    return invocations;
}

}  // namespace strata
