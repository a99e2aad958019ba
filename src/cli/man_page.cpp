// SPDX-License-Identifier: MIT
#include "cli/help.h"

#include "base/text.h"
#include "record/identity.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Escapes text for roff: backslashes and hyphens are literal, and no line begins with a control
// character.
std::string roff(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    }
    return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string term(const OptionHelp& option) {
    std::vector<std::string> flags;
    for (const std::string& flag : option.flags) {
        flags.push_back(fmt::format("\\fB{}\\fR", roff(flag)));
    }
    std::string text = join(flags, ", ");
    if (option.takes_value && !option.is_argument) {
        text += fmt::format(" \\fI{}\\fR", roff(option.value));
    }
    return text;
}

std::string option_entry(const OptionHelp& option) {
    const std::string standard =
        option.standard.empty() ? "" : fmt::format(" Default: {}.", roff(option.standard));
    return fmt::format(".TP\n{}\n{}.{}\n", term(option), roff(option.help), standard);
}

std::string verb_section(const VerbHelp& verb, const std::string& above) {
    const std::string name = above + verb.name;
    std::string text = fmt::format(".SS {}\n{}\n", roff(name), roff(verb.meaning));
    for (const OptionHelp& argument : options_in(verb, "")) {
        text += option_entry(argument);
    }
    for (const std::string& group : groups_of(verb)) {
        text += fmt::format(".PP\n\\fI{}\\fR\n", roff(group));
        for (const OptionHelp& option : options_in(verb, group)) {
            text += option_entry(option);
        }
    }
    if (!verb.examples.empty()) {
        text += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(verb.examples));
    }
    for (const VerbHelp& below : verb.verbs) {
        text += verb_section(below, name + " ");
    }
    return text;
}

constexpr std::string_view closing = R"(.SH EXIT STATUS
.TP
0
Done.
.TP
1
Failed: a file could not be read or written, a step failed or disagreed with the reference.
.TP
2
Usage: an unknown verb, option, name or value.
.TP
3
This machine, or a library on it, cannot do what was asked, or cannot do every step.
.TP
4
Measured, but not as precisely as \fB\-\-precision\fR asks, or as a verdict for \fB\-\-fail\-on\fR needs.
.TP
5
Slower than \fB\-\-fail\-on\fR allows.
.TP
130
Interrupted. What was measured is stored; the same command continues it.
.SH ENVIRONMENT
Most options have a variable: \fB\-\-max\-time\fR is \fBSTRATA_MAX_TIME\fR. An option on the command line comes
first, then the variable, then the file of \fB\-\-config\fR, which may set every option; \fBstrata \-\-settings\fR
\fIVERB\fR shows the values of the options and where they were set. \fBNO_COLOR\fR and \fBCLICOLOR_FORCE\fR are respected.
.SH FILES
.TP
~/.local/share/strata/strata.sqlite
The database of runs, unless \fB\-\-database\fR or \fBSTRATA_DATABASE\fR names another; \fBXDG_DATA_HOME\fR moves it.
)";

}  // namespace

std::string man_page(const VerbHelp& program) {
    std::string text = fmt::format(
        ".TH STRATA 1 \"\" \"strata {}\" \"User commands\"\n.SH NAME\n"
        "strata \\- shows where the time of a deep neural network goes, layer by layer, and why\n"
        ".SH SYNOPSIS\n.B strata\n\\fIVERB\\fR [\\fIarguments\\fR] [\\fIoptions\\fR]\n"
        ".SH DESCRIPTION\n{}\n.SH VERBS\n",
        roff(std::string(strata_version())), roff(program.meaning));
    for (const VerbHelp& verb : program.verbs) {
        text += verb_section(verb, "");
    }
    return text + std::string(closing);
}

}  // namespace strata
