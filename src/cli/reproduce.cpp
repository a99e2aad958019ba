// SPDX-License-Identifier: MIT
#include "cli/options.h"
#include "cli/verbs.h"
#include "published/files.h"
#include "view/reproduction.h"

#include <algorithm>
#include <memory>

namespace strata {

namespace {

struct ReproduceOptions {
    std::vector<std::string> names;
    bool list = false;
    bool all = false;
    OutputOptions output;
};

std::vector<Reproduction> chosen(const ReproduceOptions& options) {
    if (options.all) {
        return reproductions();
    }
    if (options.names.empty()) {
        throw Error("nothing to reproduce: give a name from --list, or --all", ExitCode::usage);
    }
    std::vector<Reproduction> found;
    for (const std::string& name : options.names) {
        found.push_back(find_reproduction(name));
    }
    return found;
}

// The exit code says whether any difference is unexplained.
ExitCode compare(const ReproduceOptions& options) {
    std::vector<Reproduced> reproduced;
    for (const Reproduction& reproduction : chosen(options)) {
        reproduced.push_back(reproduce(reproduction));
    }
    emit(reproduced_document(reproduced), options.output);
    return std::ranges::all_of(reproduced, agrees) ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_reproduce(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<ReproduceOptions>();
    CLI::App* verb = app.add_subcommand(
        "reproduce",
        "Compare published counts with strata's own: source, ours, difference, verdict.");
    verb->footer("strata reproduce dong2018-table1");
    verb->add_option("name", options->names, "names from --list, or .toml files")
        ->type_name("NAME");
    add_switch(*verb, "--list", options->list, "list what can be reproduced");
    add_switch(*verb, "--all", options->all, "reproduce everything");
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] {
        if (options->list) {
            emit(reproductions_document(reproductions()), options->output);
        } else {
            exit = compare(*options);
        }
    });
}

}  // namespace strata
