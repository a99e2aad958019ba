// SPDX-License-Identifier: MIT
#include "trace/kernel_name.h"

#include "base/text.h"
#include "trace/timeline.h"

#include <algorithm>
#include <array>
#include <cctype>
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

// "float const*", "(Kind)0" and "128" are none.
bool is_class(std::string_view argument) {
    constexpr std::array<std::string_view, 13> builtin = {
        "float", "double", "int",  "long",   "short",    "char", "bool",
        "void",  "half",   "true", "signed", "unsigned", "false"};
    const std::string_view word = argument.substr(0, argument.find_first_of(" *&"));
    const bool is_name =
        !word.empty() &&
        (std::isalpha(static_cast<unsigned char>(word.front())) != 0 || word.front() == '_');
    return is_name && std::ranges::find(builtin, word) == builtin.end();
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

// Reads "17cutlass__5x_cudnn6Kernel" and what the Itanium C++ ABI puts between names, from
// `position` on; returns the last name, and leaves the position behind it.
std::string_view last_mangled(std::string_view name, std::size_t& position) {
    std::string_view last;
    while (position < name.size()) {
        std::size_t length = 0, digits = 0;
        while (position + digits < name.size() && digits < 5 && name[position + digits] >= '0' &&
               name[position + digits] <= '9') {
            length = 10 * length + static_cast<std::size_t>(name[position + digits++] - '0');
        }
        const bool substitutes = name[position] == 'S' && name.find('_', position) != name.npos;
        if (digits > 0 && position + digits + length <= name.size()) {
            last = name.substr(position + digits, length);
            position += digits + length;
        } else if (substitutes && last.empty()) {
            position = name.find('_', position) + 1;  // of a scope that was named before: "S1_"
        } else {
            break;
        }
    }
    return last;
}

// A demangler gives up on the longest names; what it is about stands at their beginning.
// "Kernel<ImplicitGemmConvolution>"; empty if the name is not mangled.
std::string short_mangled(std::string_view name) {
    constexpr std::string_view begin = "_ZN";
    if (!name.starts_with(begin)) {
        return {};
    }
    std::size_t position = begin.size();
    const std::string_view function = last_mangled(name, position);
    if (!name.substr(position).starts_with("IN")) {
        return std::string(function);
    }
    position += 2;
    const std::string_view argument = last_mangled(name, position);
    return std::string(function) + (argument.empty() ? "" : "<" + std::string(argument) + ">");
}

std::string short_name(std::string_view full_name, int nested) {
    if (std::string name = short_mangled(full_name); !name.empty()) {
        return name;
    }
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
