// SPDX-License-Identifier: MIT
#include "cli/help.h"

#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace strata {

namespace {

constexpr std::size_t widest = 100;  // longer lines are hard to read
constexpr std::size_t margin = 2;
constexpr std::size_t value_column = 26;  // column where explanations begin

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
        return static_cast<char>(c == '_' ? '-' : std::toupper(c));
    });
    return text;
}

// "--dtype f32|bf16,…", "NETWORK...".
std::string left_column(const OptionHelp& option) {
    if (option.is_argument) {
        const std::string name = upper(option.flags.front()) + (option.is_repeated ? "..." : "");
        return option.is_required ? name : "[" + name + "]";
    }
    const std::string flags = join(option.flags, ", ");
    return option.takes_value
               ? fmt::format("{} {}{}", flags, option.value, option.takes_list ? ",…" : "")
               : flags;
}

std::string right_column(const OptionHelp& option) {
    return option.standard.empty() ? option.help
                                   : fmt::format("{} [{}]", option.help, option.standard);
}

// One entry: a name and, beside or below it, its explanation.
std::string entry(const std::string& left, const std::string& right, std::size_t width) {
    const std::string indent = "\n" + repeat(" ", value_column);
    const std::string wrapped = wrap(right, width - value_column);
    std::string lines;
    for (const std::string_view line : split(wrapped, '\n')) {
        lines += (lines.empty() ? "" : indent) + std::string(line);
    }
    const std::string head = repeat(" ", margin) + left;
    const std::size_t taken = display_width(head);
    return taken + 1 < value_column ? head + repeat(" ", value_column - taken) + lines + "\n"
                                    : head + indent + lines + "\n";
}

std::string section(const std::string& title, const std::vector<OptionHelp>& options,
                    std::size_t width) {
    std::string text = options.empty() ? "" : "\n" + (title.empty() ? "" : title + "\n");
    for (const OptionHelp& option : options) {
        text += entry(left_column(option), right_column(option), width);
    }
    return text;
}

std::string verbs_section(const VerbHelp& program, std::size_t width) {
    std::vector<std::string> groups;
    for (const VerbHelp& verb : program.verbs) {
        if (std::ranges::find(groups, verb.group) == groups.end()) {
            groups.push_back(verb.group);
        }
    }
    std::string text;
    for (const std::string& group : groups) {
        text += "\n" + group + "\n";
        for (const VerbHelp& verb : program.verbs) {
            text += verb.group == group ? entry(verb.name, verb.meaning, width) : "";
        }
    }
    return text;
}

std::string usage(const VerbHelp& verb, const std::string& called) {
    std::string line = "Usage: " + called;
    line += verb.verbs.empty() ? "" : " VERB";
    for (const OptionHelp& argument : options_in(verb, "")) {
        line += " " + left_column(argument);
    }
    return line + (groups_of(verb).empty() ? "" : " [options]") + "\n";
}

std::string examples_section(const VerbHelp& verb) {
    std::string text = verb.examples.empty() ? "" : "\nExamples\n";
    for (const std::string_view line : split(verb.examples, '\n')) {
        text += line.empty() ? "" : fmt::format("  {}\n", line);
    }
    return text;
}

std::string general_notes(std::size_t width) {
    return "\n" +
           wrap(
               "Most options can also be set by an environment variable (--max-time is "
               "STRATA_MAX_TIME), and all by the file given to --config; --settings shows their "
               "values.",
               width) +
           "\n" +
           wrap(
               "Exit codes: 0 done, 1 failed, 2 usage, 3 not possible on this machine, 4 measured "
               "but not stable, or too few samples to judge, 5 slower than --fail-on allows, 130 "
               "interrupted (the same command continues).",
               width) +
           "\n";
}

// Whether a flag has all letters of another, in their order, and begins like it: --db, --database.
bool abbreviates(std::string_view short_flag, std::string_view flag) {
    constexpr std::size_t dashes = 2;
    if (short_flag.size() <= dashes || !flag.starts_with(short_flag.substr(0, dashes + 1))) {
        return false;
    }
    for (const char letter : flag) {
        if (!short_flag.empty() && short_flag.front() == letter) {
            short_flag.remove_prefix(1);
        }
    }
    return short_flag.empty();
}

}  // namespace

std::string help_text(const VerbHelp& verb, const std::string& called, std::size_t width) {
    std::string text = wrap(verb.meaning, width) + "\n\n" + usage(verb, called);
    text += section("", options_in(verb, ""), width);
    text += verbs_section(verb, width);
    for (const std::string& group : groups_of(verb)) {
        text += section(group, options_in(verb, group), width);
    }
    return text + examples_section(verb) + (verb.verbs.empty() ? "" : general_notes(width));
}

void use_help_text(CLI::App& app) {
    app.formatter_fn([](const CLI::App* shown, const std::string&, CLI::AppFormatMode) {
        std::string called = shown->get_name();
        for (const CLI::App* above = shown->get_parent(); above != nullptr;
             above = above->get_parent()) {
            called = above->get_name() + " " + called;
        }
        const std::size_t terminal = terminal_width();
        const std::size_t width = terminal == 0 ? widest : std::min(terminal, widest);
        return help_text(help_of(*shown), called, std::max<std::size_t>(width, 50));
    });
}

std::string suggestion_for(const CLI::App& verb, const std::string& unknown) {
    const std::string flag = unknown.substr(0, unknown.find('='));
    const bool is_long = flag.starts_with("--");
    std::vector<std::string> flags;
    for (const OptionHelp& option : help_of(verb).options) {
        if (!option.is_argument) {
            std::ranges::copy_if(option.flags, std::back_inserter(flags), [&](const auto& known) {
                return !is_long || known.starts_with("--");
            });
        }
    }
    std::vector<std::string> longer;
    std::ranges::copy_if(flags, std::back_inserter(longer),
                         [&](const auto& known) { return is_long && abbreviates(flag, known); });
    const auto near = longer.size() == 1 ? std::optional(longer.front()) : nearest(flag, flags);
    return near ? fmt::format("did you mean {}?", *near) : "";
}

std::string needed_by(const CLI::App& verb) {
    const VerbHelp help = help_of(verb);
    const auto options = verb.get_options();
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i]->get_required() && options[i]->count() == 0) {
            return left_column(help.options[i]);
        }
    }
    if (verb.get_require_subcommand_min() == 0 || !verb.get_subcommands().empty()) {
        return "";
    }
    std::vector<std::string> names;
    for (const VerbHelp& below : help.verbs) {
        names.push_back(below.name);
    }
    return verb.get_parent() == nullptr ? "a verb, as in `strata run alexnet`"
                                        : "one of " + join(names, ", ");
}

void add_help(CLI::App& app, ExitCode& exit) {
    auto words = std::make_shared<std::vector<std::string>>();
    CLI::App* verb = app.add_subcommand("help", "Explain a verb, like its --help.");
    verb->footer("strata help run");
    verb->add_option("verb", *words, "the verb; without one, all verbs are listed")
        ->type_name("VERB");
    verb->callback([&app, words, &exit] {
        const CLI::App* shown = &app;
        for (const std::string& word : *words) {
            const auto found = shown->get_subcommands(
                [&](const CLI::App* below) { return below->get_name() == word; });
            if (found.empty()) {
                throw Error(
                    fmt::format("there is no verb '{}'; `strata help` lists them", printable(word)),
                    ExitCode::usage);
            }
            shown = found.front();
        }
        // The program's own help() would print the help of the called verb, which is this one.
        emit(shown->get_formatter()->make_help(shown, "", CLI::AppFormatMode::Normal), {});
        exit = ExitCode::done;
    });
}

}  // namespace strata
