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
    std::vector<Side> sides = sides_of(options.measured);
    if (measure_sides(sides, options.measured, database_path(options.database)) ==
        ExitCode::interrupted) {
        fmt::print(stderr, "strata: interrupted; the same command continues it\n");
        return ExitCode::interrupted;
    }
    std::vector<Settings> settings;
    for (const Side& side : sides) {
        settings.push_back(settings_of(side.job, side.job.request.batch.value_or(0),
                                       side.job.execution.scheduling.threads));
    }
    const std::vector<std::string> names = names_of_sides(settings);
    std::vector<ComparedSide> measured;
    bool any = false;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        measured.push_back(
            {sides[i].runs, names[i].empty() ? sides[i].job.backend : names[i], sides[i].refusal});
        any = any || !sides[i].runs.empty();
    }
    if (!any) {
        throw Error(sides.front().refusal, ExitCode::machine_cannot);
    }
    emit(instrument_cost_document(measured), options.output);
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
