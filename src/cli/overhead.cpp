// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/sides.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "view/instrument_cost.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct OverheadOptions {
    std::string network;
    std::string database;
    SidesOptions measured;
    OutputOptions output;
};

ExitCode show_overhead(OverheadOptions options) {
    options.measured.network.networks = {options.network};
    auto sides =
        measured(sides_of(options.measured), options.measured, database_path(options.database));
    if (!sides) {
        return ExitCode::interrupted;
    }
    require_a_side(*sides);
    for (std::size_t i = 0; i < sides->names.size(); ++i) {
        if (sides->names[i].empty() && !sides->runs[i].empty()) {
            sides->names[i] = sides->runs[i].front().settings.backend;
        }
    }
    emit(instrument_cost_document(sides->compared()), options.output);
    return ExitCode::done;
}

}  // namespace

void add_overhead(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<OverheadOptions>();
    CLI::App* verb = app.add_subcommand(
        "overhead", "Measure what measuring costs: an iteration with and without instruments.");
    verb->footer(
        "strata overhead alexnet --batch 32\n"
        "strata overhead resnet-50 --backends onednn,pytorch --rounds 3");
    verb->add_option("network", options->network, "as in strata run")
        ->required()
        ->type_name("NETWORK");
    add_database_option(*verb, options->database);
    add_sides_options(*verb, options->measured);
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { exit = show_overhead(*options); });
}

}  // namespace strata
