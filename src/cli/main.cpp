// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "record/provenance.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <new>

namespace strata {
namespace {

// THE list of verbs, in the order of the help text: collecting, then looking.
constexpr std::array verbs = {add_list,      add_show,      add_run,    add_algorithms,
                              add_calibrate, add_reproduce, add_report, add_import,
                              add_export,    add_query,     add_doctor, add_completion};

std::string misspelt(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(verb->get_name());
    }
    const auto near = nearest(word, names);
    return near ? fmt::format("did you mean 'strata {}'?", *near) : "see strata --help";
}

int complain(const std::string& sentence, ExitCode code) {
    fmt::print(stderr, "strata: {}\n", sentence);
    return static_cast<int>(code);
}

// CLI11 reports help, version and mistakes alike by an exception.
int end_of_parsing(const CLI::App& app, const CLI::ParseError& end, int argc, char** argv) {
    if (end.get_exit_code() == 0) {
        return app.exit(end);
    }
    const bool unknown_verb = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    if (unknown_verb) {
        return complain(
            fmt::format("there is no verb '{}': {}", printable(argv[1]), misspelt(app, argv[1])),
            ExitCode::usage);
    }
    return complain(fmt::format("{} (see strata {}--help)", end.what(),
                                app.get_subcommands().empty()
                                    ? std::string()
                                    : app.get_subcommands().front()->get_name() + " "),
                    ExitCode::usage);
}

int run_command(int argc, char** argv) {
    CLI::App app{"Tells where the time of a deep neural network goes, layer by layer, and why.",
                 "strata"};
    app.set_version_flag("--version",
                         fmt::format("strata {} ({})", strata_version(), strata_commit()));
    app.set_config("--config", "", "settings from a TOML file")->envname("STRATA_CONFIG");
    app.require_subcommand(1);
    ExitCode exit = ExitCode::done;
    for (const auto add : verbs) {
        add(app, exit);
    }
    try {
        app.parse(argc, argv);
        return static_cast<int>(exit);
    } catch (const CLI::ParseError& end) {
        return end_of_parsing(app, end, argc, argv);
    }
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
    using namespace strata;
    try {
        return run_command(argc, argv);
    } catch (const Error& error) {
        return complain(error.what(), error.code());
    } catch (const std::bad_alloc&) {
        return complain("memory is exhausted: try a smaller --batch", ExitCode::machine_cannot);
    } catch (const std::exception& error) {
        return complain(fmt::format("bug: unexpected {}", error.what()), ExitCode::failed);
    }
}
