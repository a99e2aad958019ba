// SPDX-License-Identifier: MIT
#include "cli/options.h"
#include "cli/verbs.h"
#include "graph/generate/generator.h"
#include "graph/network.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

std::string long_flags(const CLI::App& verb) {
    std::string flags;
    for (const CLI::Option* option : verb.get_options()) {
        for (const auto& name : option->get_lnames()) {
            flags += fmt::format("--{} ", name);
        }
    }
    return flags;
}

// A Bash function made from the verbs and flags that exist, so that it cannot fall behind them.
std::string bash_completion(const CLI::App& app) {
    std::string verbs;
    std::string cases;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        verbs += verb->get_name() + " ";
        cases += fmt::format("        {}) words=\"{}\" ;;\n", verb->get_name(), long_flags(*verb));
    }
    std::string networks;
    for (const ZooNetwork& network : zoo()) {
        networks += fmt::format("{} ", network.name);
    }
    for (const GeneratorFamily& family : generator_families()) {
        networks += fmt::format("{}: ", family.name);
    }
    return fmt::format(
        "_strata() {{\n"
        "    local current=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
        "    case \"${{COMP_WORDS[1]}}\" in\n{}    esac\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"{}\"; fi\n"
        "    if [[ \"$current\" != -* && \"$COMP_CWORD\" -gt 1 ]]; then words=\"{}\"; fi\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "}}\n"
        "complete -o default -F _strata strata\n",
        cases, verbs, networks);
}

}  // namespace

void add_completion(CLI::App& app, ExitCode&) {
    CLI::App* verb = app.add_subcommand("completion", "Completion for Bash, to be sourced.");
    verb->footer("Example: source <(strata completion)");
    verb->callback([&app] { emit(bash_completion(app), {}); });
}

}  // namespace strata
