// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/options.h"
#include "cli/sides.h"
#include "cli/verbs.h"
#include "run/choices.h"
#include "store/database.h"
#include "view/framework_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace strata {

namespace {

struct StudyOptions {
    std::string study;
    std::string network;
    std::string database;
    SidesOptions measured;
    OutputOptions output;
};

Side side_with(const BackendEntry& backend, SidesOptions options, const Choice* choice) {
    options.backends = {std::string(backend.name)};
    if (choice != nullptr) {
        set_option(options.asked.front(), option_named(choice->option), choice->value);
    }
    std::vector<Side> sides = sides_of(options);
    if (sides.size() != 1) {
        throw Error(
            "strata study compares the settings of frameworks by itself: give one batch "
            "and one value of each option",
            ExitCode::usage);
    }
    return std::move(sides.front());
}

// The sides in the order of the study: each framework with its defaults, then with each of its
// choices.
struct Study {
    std::vector<StudiedFramework> frameworks = {};
    std::vector<Side> sides = {};

    void add(StudiedFramework& framework, const Choice* choice, Side side) {
        std::string setting(choice == nullptr ? "" : choice->option);
        std::ranges::replace(setting, '_', ' ');
        framework.sides.push_back({setting, std::string(choice == nullptr ? "" : choice->value)});
        sides.push_back(std::move(side));
    }
};

// A missing framework gets one line, not one for each of its choices.
Study study_of(const SidesOptions& options, const Graph& graph) {
    Study study;
    Session session(when_locked(options.no_wait));  // only until other processes measure
    for (const BackendEntry& backend : backends()) {
        const bool is_asked =
            options.backends.empty()
                ? backend.is_studied
                : std::ranges::find(options.backends, backend.name) != options.backends.end();
        if (!is_asked) {
            continue;
        }
        StudiedFramework framework{.backend = std::string(backend.name)};
        Side usual = side_with(backend, options, nullptr);
        refuse_what_cannot_run(session, std::span(&usual, 1));
        const bool is_there = usual.refusal.empty();
        study.add(framework, nullptr, std::move(usual));
        if (is_there) {
            for (const Choice& choice :
                 choices_of(backend.name, backend.capabilities(), options.asked.front(), graph)) {
                study.add(framework, &choice, side_with(backend, options, &choice));
            }
        }
        study.frameworks.push_back(std::move(framework));
    }
    return study;
}

ExitCode study_frameworks(StudyOptions options) {
    options.measured.network.networks = {options.network};
    for (const std::string& name : options.measured.backends) {
        find_backend(name);
    }
    const Graph graph = load_network(request_for(options.measured.network, options.network, {}));
    Study study = study_of(options.measured, graph);
    const auto sides =
        measured(std::move(study.sides), options.measured, database_path(options.database));
    if (!sides) {
        return ExitCode::interrupted;
    }
    require_a_side(*sides);
    const std::vector<ComparedSide> compared = sides->compared();
    const Run* first = nullptr;
    std::size_t place = 0;
    for (StudiedFramework& framework : study.frameworks) {
        for (StudiedFramework::Studied& studied : framework.sides) {
            studied.side = compared[place++];
            if (first == nullptr && !studied.side.runs.empty()) {
                first = &studied.side.runs.front();
            }
        }
    }
    emit(framework_study_document(first->settings.network, first->settings.batch, study.frameworks,
                                  {}),
         options.output);
    return ExitCode::done;
}

}  // namespace

void add_study(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<StudyOptions>();
    CLI::App* verb =
        app.add_subcommand("study",
                           "Measure what the settings of frameworks gain here: layouts, "
                           "algorithms, fusion, threads, each changed alone.");
    verb->footer(
        "strata study frameworks alexnet --batch 16 --inference\n"
        "strata study frameworks resnet-50 --backends onednn,pytorch --rounds 9");
    verb->add_option("study", options->study, "what to study")
        ->required()
        ->check(CLI::IsMember({"frameworks"}))
        ->type_name("frameworks");
    verb->add_option("network", options->network, "as in strata run")
        ->required()
        ->type_name("NETWORK");
    add_database_option(*verb, options->database);
    add_sides_options(*verb, options->measured, {RoundLimits().fewest, RoundLimits().fewest});
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { exit = study_frameworks(*options); });
}

}  // namespace strata
