// SPDX-License-Identifier: MIT
#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "networks/generate/generator.h"
#include "networks/network.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <array>
#include <memory>

namespace strata {

namespace {

// The verbs that take arguments; nested verbs have both names: "runs tag".
std::vector<VerbHelp> leaves_of(const VerbHelp& program) {
    std::vector<VerbHelp> leaves;
    for (const VerbHelp& verb : program.verbs) {
        leaves.push_back(verb);
        for (VerbHelp below : verb.verbs) {
            below.name = verb.name + " " + below.name;
            leaves.push_back(std::move(below));
        }
    }
    return leaves;
}

std::string words(const std::vector<std::string>& parts) {
    return join(parts, " ");
}

std::vector<std::string> names_of_verbs(const VerbHelp& program) {
    std::vector<std::string> names;
    for (const VerbHelp& verb : program.verbs) {
        names.push_back(verb.name);
    }
    return names;
}

std::vector<std::string> flags_of(const VerbHelp& verb) {
    std::vector<std::string> flags;
    for (const OptionHelp& option : verb.options) {
        if (!option.is_argument) {
            flags.insert(flags.end(), option.flags.begin(), option.flags.end());
        }
    }
    return flags;
}

std::vector<std::string> networks() {
    std::vector<std::string> names;
    for (const ZooNetwork& network : zoo()) {
        names.emplace_back(network.name);
    }
    for (const GeneratorFamily& family : generator_families()) {
        names.push_back(fmt::format("{}:", family.name));
    }
    return names;
}

// The possible values of an option or an argument; empty: a file name.
std::vector<std::string> values_of(const VerbHelp& program, const OptionHelp& option) {
    const std::string& value = option.value;
    return !option.choices.empty() ? option.choices
           : value == "NETWORK"    ? networks()
           : value == "RUN"        ? std::vector<std::string>{"last", "last~1"}
           : value == "VERB"       ? names_of_verbs(program)
                                   : std::vector<std::string>{};
}

// ---- Bash

std::string bash_cases(const VerbHelp& program) {
    std::string cases;
    for (const VerbHelp& verb : leaves_of(program)) {
        for (const OptionHelp& option : verb.options) {
            const auto values = values_of(program, option);
            if (!option.takes_value || (!option.is_argument && values.empty())) {
                continue;
            }
            std::string patterns = option.is_argument ? fmt::format("'{} '", verb.name) : "";
            for (const std::string& flag :
                 option.is_argument ? std::vector<std::string>{} : option.flags) {
                patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", verb.name, flag);
            }
            cases += fmt::format("        {}) values='{}' list={} ;;\n", patterns, words(values),
                                 option.takes_list && !option.is_argument ? 1 : 0);
        }
    }
    return cases;
}

std::string bash_flags(const VerbHelp& program) {
    std::string cases;
    for (const VerbHelp& verb : leaves_of(program)) {
        const std::string below = words(names_of_verbs(verb));
        cases += fmt::format("        '{}') flags='{}' below='{}' ;;\n", verb.name,
                             words(flags_of(verb)), below);
    }
    return cases;
}

// Options that take a value of any kind: the next word is not an argument.
std::string bash_valued(const VerbHelp& program) {
    std::vector<std::string> flags;
    for (const VerbHelp& verb : leaves_of(program)) {
        for (const OptionHelp& option : verb.options) {
            if (!option.is_argument && option.takes_value) {
                flags.insert(flags.end(), option.flags.begin(), option.flags.end());
            }
        }
    }
    std::ranges::sort(flags);
    flags.erase(std::ranges::unique(flags).begin(), flags.end());
    return words(flags);
}

std::string bash_script(const VerbHelp& program) {
    return fmt::format(
        R"(# Completion of strata for Bash: source <(strata completion bash)
_strata() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    local verb="${{COMP_WORDS[1]}}" values='' flags='' below='' list=0 prefix=''
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
        return
    fi
    case "$verb ${{COMP_WORDS[2]}}" in
{}    esac
    # --flag=value comes as three words.
    [ "$current" = = ] && current=''
    [ "$previous" = = ] && previous="${{COMP_WORDS[COMP_CWORD-2]}}"
    case "$verb" in
{}    esac
    if [ -n "$below" ] && [ "$COMP_CWORD" -eq 2 ]; then
        COMPREPLY=($(compgen -W "$below" -- "$current"))
        return
    fi
    case "$current" in -*) COMPREPLY=($(compgen -W "$flags" -- "$current")); return ;; esac
    case " {} " in *" $previous "*) ;; *) previous='' ;; esac
    case "$verb $previous" in
{}    esac
    if [ "$list" -eq 1 ] && [ "$current" != "${{current##*,}}" ]; then
        prefix="${{current%,*}},"
        current="${{current##*,}}"
    fi
    COMPREPLY=($(compgen -P "$prefix" -W "$values" -- "$current"))
    # A generated network continues after its colon.
    [ "${{#COMPREPLY[@]}}" -eq 1 ] && [ "${{COMPREPLY[0]%:}}" != "${{COMPREPLY[0]}}" ] &&
        compopt -o nospace 2>/dev/null
    return 0
}}
complete -o default -o bashdefault -F _strata strata
)",
        words(names_of_verbs(program)),
        [&] {
            std::string pairs;
            for (const VerbHelp& verb : program.verbs) {
                for (const VerbHelp& below : verb.verbs) {
                    pairs += fmt::format("        '{} {}') verb='{} {}' ;;\n", verb.name,
                                         below.name, verb.name, below.name);
                }
            }
            return pairs;
        }(),
        bash_flags(program), bash_valued(program), bash_cases(program));
}

// ---- Zsh

// Text inside '…[…]…': without quotes and characters special to _arguments.
std::string zsh_text(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '\''                          ? "'\\''"
                : c == '[' || c == ']' || c == ':' ? fmt::format("\\{}", c)
                                                   : std::string(1, c);
    }
    return safe;
}

std::string zsh_values(const VerbHelp& program, const OptionHelp& option) {
    const auto values = values_of(program, option);
    if (values.empty()) {
        return "_files";
    }
    std::vector<std::string> safe;
    for (const std::string& value : values) {
        safe.push_back(zsh_text(value));
    }
    return option.takes_list ? fmt::format("_values -s , value {}", words(safe))
                             : fmt::format("({})", words(safe));
}

std::string zsh_spec(const VerbHelp& program, const OptionHelp& option) {
    if (option.is_argument) {
        const std::string place = option.is_repeated ? "*" : "";
        return fmt::format("            '{}:{}:{}' \\\n", place, zsh_text(option.flags.front()),
                           zsh_values(program, option));
    }
    std::string lines;
    for (const std::string& flag : option.flags) {
        const std::string value = option.takes_value ? fmt::format(":{}:{}", zsh_text(option.value),
                                                                   zsh_values(program, option))
                                                     : "";
        lines += fmt::format("            '{}{}[{}]{}' \\\n", option.is_repeated ? "*" : "", flag,
                             zsh_text(option.help), value);
    }
    return lines;
}

std::string zsh_script(const VerbHelp& program) {
    std::string verbs;
    std::string cases;
    for (const VerbHelp& verb : program.verbs) {
        verbs += fmt::format("            '{}:{}'\n", verb.name, zsh_text(verb.meaning));
        cases += fmt::format("        {}) _arguments -s \\\n", verb.name);
        for (const OptionHelp& option : verb.options) {
            cases += zsh_spec(program, option);
        }
        if (!verb.verbs.empty()) {
            cases += fmt::format("            '1:verb:({})' '*::value:_default' \\\n",
                                 words(names_of_verbs(verb)));
        }
        cases += "            ;;\n";
    }
    return fmt::format(R"(#compdef strata
# Completion of strata for Zsh: put it as _strata into a folder of $fpath.
_strata() {{
    local -a verbs
    if (( CURRENT == 2 )); then
        verbs=(
{}        )
        _describe verb verbs
        return
    fi
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
    case $verb in
{}    esac
}}
if [ "$funcstack[1]" = _strata ]; then _strata "$@"; else compdef _strata strata; fi
)",
                       verbs, cases);
}

// ---- Fish

std::string fish_text(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '\'' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
    }
    return safe;
}

std::string fish_option(const VerbHelp& program, const VerbHelp& verb, const OptionHelp& option) {
    const auto values = words(values_of(program, option));
    const std::string condition =
        fmt::format("complete -c strata -n '__fish_seen_subcommand_from {}'", verb.name);
    if (option.is_argument) {
        return values.empty() ? "" : fmt::format("{} -a '{}'\n", condition, fish_text(values));
    }
    std::string line = condition;
    for (const std::string& flag : option.flags) {
        line += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    }
    line += option.takes_value ? " -r" : "";
    line += values.empty() ? "" : fmt::format(" -f -a '{}'", fish_text(values));
    return fmt::format("{} -d '{}'\n", line, fish_text(option.help));
}

std::string fish_script(const VerbHelp& program) {
    std::string script =
        "# Completion of strata for Fish: strata completion fish | source\n"
        "complete -c strata -n __fish_use_subcommand -f\n";
    for (const VerbHelp& verb : program.verbs) {
        script += fmt::format("complete -c strata -n __fish_use_subcommand -f -a {} -d '{}'\n",
                              verb.name, fish_text(verb.meaning));
        for (const OptionHelp& option : verb.options) {
            script += fish_option(program, verb, option);
        }
        if (!verb.verbs.empty()) {
            script +=
                fmt::format("complete -c strata -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                            verb.name, words(names_of_verbs(verb)));
        }
    }
    return script;
}

struct Shell {
    const char* name;
    std::string (*script)(const VerbHelp& program);
};

// THE list. The manual page is made from the same description.
constexpr std::array shells = {Shell{"bash", bash_script}, Shell{"zsh", zsh_script},
                               Shell{"fish", fish_script}, Shell{"man", man_page}};

void print_for(const std::string& name, const CLI::App& app) {
    for (const Shell& shell : shells) {
        if (name == shell.name) {
            emit(shell.script(help_of(app)), {});
            return;
        }
    }
    throw Error(
        fmt::format("there is no completion for '{}': choose one of bash, zsh, fish, or man "
                    "for the manual page",
                    printable(name)),
        ExitCode::usage);
}

}  // namespace

void add_completion(CLI::App& app, ExitCode&) {
    auto shell = std::make_shared<std::string>("bash");
    CLI::App* verb = app.add_subcommand(
        "completion", "Print completion for a shell, by verb and flag, or the manual page.");
    verb->footer(
        "source <(strata completion bash)\n"
        "strata completion zsh > ~/.zfunc/_strata\n"
        "strata completion fish | source\n"
        "strata completion man | man -l -");
    verb->add_option("shell", *shell, "the shell")->type_name("bash|zsh|fish|man");
    verb->callback([&app, shell] { print_for(*shell, app); });
}

}  // namespace strata
