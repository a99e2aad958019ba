// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "cli/backends.h"
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

// The same side with its framework's profiler on; empty if it has none.
std::optional<Side> profiled(const Side& side) {
    if (find_backend(side.job.backend).profiler.empty()) {
        return std::nullopt;
    }
    Side with = side;
    with.job.execution.engine.peer_options["profiler"] = "on";
    return with;
}

// The sides, each followed by itself with its profiler on.
std::vector<Side> with_profiled(const std::vector<Side>& sides) {
    std::vector<Side> all;
    for (const Side& side : sides) {
        all.push_back(side);
        if (auto with = profiled(side)) {
            all.push_back(*std::move(with));
        }
    }
    return all;
}

// In the order of with_profiled.
std::vector<InstrumentedSide> instrumented(const std::vector<Side>& sides,
                                           const OwnedSides& measured) {
    const std::vector<ComparedSide> compared = measured.compared();
    const std::vector<std::string> names = names_of(sides);
    std::vector<InstrumentedSide> all;
    std::size_t next = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const BackendEntry& backend = find_backend(sides[i].job.backend);
        InstrumentedSide side{.side = compared[next++],
                              .step_timer = std::string(backend.step_timer)};
        side.side.name = names[i].empty() ? sides[i].job.backend : names[i];
        if (!backend.profiler.empty()) {
            side.profiler = backend.profiler;
            side.profiled = compared[next++];
        }
        all.push_back(std::move(side));
    }
    return all;
}

ExitCode show_overhead(OverheadOptions options) {
    options.measured.network.networks = {options.network};
    std::vector<Side> sides = sides_of(options.measured);
    {
        Session session(when_locked(options.measured.no_wait), options.database);
        refuse_what_cannot_run(session, sides);
        take_tunings(session, sides, options.measured);
    }  // other processes measure
    const auto owned =
        measured(with_profiled(sides), options.measured, database_path(options.database));
    if (!owned) {
        return ExitCode::interrupted;
    }
    require_a_side(*owned);
    emit(instrument_cost_document(instrumented(sides, *owned)), options.output);
    return ExitCode::done;
}

}  // namespace

void add_overhead(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<OverheadOptions>();
    CLI::App* verb = app.add_subcommand(
        "overhead", "Measure the cost of measuring: an iteration with and without instruments.");
    verb->footer(
        "strata overhead alexnet --batch 32\n"
        "strata overhead resnet-50 --backends onednn,pytorch --rounds 3");
    verb->add_option("network", options->network, "as in strata run")
        ->required()
        ->type_name("NETWORK");
    add_database_option(*verb, options->database);
    add_sides_options(*verb, options->measured, {RoundLimits().fewest, RoundLimits().fewest});
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { exit = show_overhead(*options); });
}

}  // namespace strata
