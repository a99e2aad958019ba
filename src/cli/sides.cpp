// SPDX-License-Identifier: MIT
#include "cli/sides.h"

#include "backend/peer/peer.h"
#include "base/output.h"
#include "base/program.h"
#include "cli/backends.h"
#include "cli/tuning.h"
#include "store/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>
#include <set>

namespace strata {

namespace {

std::vector<Side> sides_on(const BackendEntry& backend, const SidesOptions& options) {
    ExperimentRequest request;
    request.networks = options.network.networks;
    request.settings = options.asked;
    request.common.backend = backend.name;
    request.common.request = request_for(options.network, {}, {});
    request.common.verification = options.verify ? Verification::done : Verification::omitted;
    std::vector<std::int64_t> batches = batches_of(options.network);
    std::vector<Side> sides;
    for (std::size_t i = 0; i == 0 || i < batches.size(); ++i) {
        request.batches.clear();
        if (!batches.empty()) {
            request.batches = {batches[i]};  // several would be a sweep, which is one side
        }
        for (const Group& group : experiment_of(request).groups) {
            sides.push_back({.job = group.front()});
        }
    }
    return sides;
}

std::string refusal_by_abilities(const BackendEntry& backend, const Job& job) {
    const auto refusal = refusal_of(settings_of(job, 1, 1), backend.capabilities());
    return refusal.empty() ? "" : fmt::format("the backend {} {}", backend.name, refusal);
}

// Checks over all sides that may run, because one network may have layers that another lacks.
void require_choices(const std::vector<Side>& sides) {
    std::vector<AlgorithmChoice> choices;
    std::vector<Job> networks;
    for (const Side& side : sides) {
        if (side.refusal.empty()) {
            std::ranges::copy(side.job.execution.engine.choices, std::back_inserter(choices));
            networks.push_back(side.job);
        }
    }
    require_choices(std::move(choices), networks);
}

// Empty if it can run here.
std::string refusal_by_machine(Session& session, const Job& job) {
    try {
        const std::string refusal = refusal_here(*session.backend_of(job), job.execution);
        return refusal.empty()
                   ? ""
                   : fmt::format("the backend {} cannot run this here: {}", job.backend, refusal);
    } catch (const Error& error) {
        return error.what();
    }
}

// The arguments with which another process measures this job at that place of a plan.
std::vector<std::string> arguments_for(const Job& job, PlanPosition position, bool no_wait,
                                       const std::filesystem::path& database) {
    std::vector<std::string> words = {"run", "--database", database.string(), "--plan-place",
                                      fmt::format("{}:{}", position.plan, position.index)};
    if (no_wait) {
        words.emplace_back("--no-wait");
    }
    const auto job_words = to_arguments(job);
    words.insert(words.end(), job_words.begin(), job_words.end());
    return words;
}

// A process's standard error: keeps the last sentence and passes every other to the user at once.
class Sentences {
public:
    void add(const std::string& line) {
        constexpr std::string_view ours = "strata: ";
        if (line.starts_with(ours)) {
            tell();
            last_ = line.substr(ours.size());
        }
    }
    void tell() {
        if (!last_.empty()) {
            say("{}", last_);
        }
        last_.clear();
    }
    const std::string& last() const { return last_; }

private:
    std::string last_;
};

// Empty if the process measured what it should.
std::string measure_in_process(const std::vector<std::string>& arguments) {
    Sentences sentences;
    const ProgramEnd end =
        run_program({.file = "/proc/self/exe",
                     .arguments = arguments,
                     .hear = [&](const std::string& line) { sentences.add(line); },
                     .is_stopped = [] { return InterruptGuard::requested().load(); }});
    if (end.signal != 0) {
        return fmt::format("the process that measured it was killed by signal {} ({})", end.signal,
                           strsignal(end.signal));
    }
    if (end.exit_code == 0 || end.exit_code == static_cast<int>(ExitCode::unstable)) {
        sentences.tell();
        return {};
    }
    return sentences.last().empty()
               ? fmt::format("the process that measured it ended with exit code {}", end.exit_code)
               : sentences.last();
}

ExitCode measure(std::vector<Side>& sides, int rounds, const SidesOptions& options,
                 const std::filesystem::path& database) {
    const Database opened = Database::open(database);
    const double count = static_cast<double>(sides.size()) * rounds;
    const InterruptGuard guard(InterruptGuard::patience_with_others);
    ProgressLine line;
    const RoundsHooks hooks{
        .measure =
            [&](const Job& job, PlanPosition position) {
                return measure_in_process(arguments_for(job, position, options.no_wait, database));
            },
        .are_enough = options.are_enough,
        .begins =
            [&](const Side& side, int round, std::size_t done) {
                line.show("measuring in turn", static_cast<double>(done) / count,
                          fmt::format("round {} of {}{}: {} on {}", round + 1,
                                      options.are_enough ? "at most " : "", rounds,
                                      printable(side.job.request.network), side.job.backend));
            },
        .stop = &InterruptGuard::requested()};
    return measure_in_turn(sides, rounds, opened, hooks);
}

}  // namespace

void add_sides_options(CLI::App& verb, SidesOptions& options, const RoundLimits& usual_rounds) {
    begin_group(verb, "To measure");
    add_network_values(verb, options.network);
    // No environment variables: these two decide whether anything is measured.
    verb.add_option("--backends,--backend", options.backends, "backends to compare")
        ->delimiter(',')
        ->type_name(join(backend_names(), "|"));
    const bool ends_early = usual_rounds.fewest < usual_rounds.most;
    verb.add_option("--rounds", options.rounds,
                    fmt::format("processes for each side, measured in turn{}",
                                ends_early ? ", until the whole is known within the margin" : ""))
        ->default_str(rounds_text(usual_rounds))
        ->check(whole_number(1))
        ->type_name("N");
    add_switch(verb, "--verify", options.verify, "first compare every step with the reference");
    add_switch(verb, "--no-wait", options.no_wait,
               "measure even while another strata is measuring on this machine");
    for (const OptionGroup group : {OptionGroup::execution, OptionGroup::gpu,
                                    OptionGroup::measurement, OptionGroup::selection}) {
        add_listed(verb, group, options.asked);
    }
    for (const char* flag : {"--algorithm", "--choose"}) {
        verb.get_option(flag)->each([&](const std::string&) { options.names_algorithm = true; });
    }
}

namespace {

void compute_where_gpus_do(std::vector<Side>& sides) {
    const bool is_beside_gpu = std::ranges::any_of(
        sides, [](const Side& side) { return find_backend(side.job.backend).is_on_gpu; });
    for (Side& side : sides) {
        if (is_beside_gpu && find_backend(side.job.backend).make_on_gpu != nullptr) {
            side.job.execution.engine.peer_options.merge(options_for_gpu());
        }
    }
}

}  // namespace

std::vector<Side> sides_of(const SidesOptions& options) {
    std::vector<std::string> names = options.backends;
    if (names.empty()) {
        names.emplace_back(backends().front().name);
    }
    std::vector<Side> sides;
    for (const std::string& name : names) {
        const BackendEntry& backend = find_backend(name);
        for (Side& side : sides_on(backend, options)) {
            side.refusal = refusal_by_abilities(backend, side.job);
            sides.push_back(std::move(side));
        }
    }
    compute_where_gpus_do(sides);
    require_choices(sides);
    return sides;
}

void refuse_what_cannot_run(Session& session, std::span<Side> sides) {
    for (Side& side : sides) {
        if (side.refusal.empty()) {
            side.refusal = refusal_by_machine(session, side.job);
        }
    }
}

void take_tunings(Session& session, std::vector<Side>& sides, const SidesOptions& options) {
    if (options.names_algorithm) {
        return;
    }
    std::set<std::string> said;
    for (Side& side : sides) {
        if (!side.refusal.empty()) {
            continue;
        }
        const std::string sentence = take_stored_tuning(session, side.job);
        if (!sentence.empty() && said.insert(sentence).second) {
            say("{}", sentence);
        }
    }
}

std::vector<std::string> names_of(const std::vector<Side>& sides) {
    std::vector<Settings> settings;
    for (const Side& side : sides) {
        settings.push_back(settings_of(side.job, side.job.request.batch.value_or(0),
                                       side.job.execution.scheduling.threads));
    }
    return sides.size() == 1 ? std::vector<std::string>{sides.front().job.backend}
                             : names_of_sides(settings);
}

std::vector<ComparedSide> OwnedSides::compared() const {
    std::vector<ComparedSide> all;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        all.push_back({runs[i], names[i], refusals[i]});
    }
    return all;
}

void measure_until_known(SidesOptions& options, const ComparisonRules& rules) {
    if (options.rounds > 0) {
        return;
    }
    options.rounds = RoundLimits().most;
    options.are_enough = [rules](const std::vector<Side>& sides) {
        const auto first = std::ranges::find(sides, true, [](const Side& side) {
            return side.refusal.empty() && !side.runs.empty();
        });
        return std::all_of(first, sides.end(), [&](const Side& side) {
            return !side.refusal.empty() || &side == &*first ||
                   ends_comparison(first->runs, side.runs, {}, rules);
        });
    };
}

std::optional<OwnedSides> measured(std::vector<Side> sides, const SidesOptions& options,
                                   const std::filesystem::path& database) {
    const int rounds = options.rounds > 0 ? options.rounds : RoundLimits().fewest;
    if (measure(sides, rounds, options, database) == ExitCode::interrupted) {
        report_interrupt();
        return std::nullopt;
    }
    OwnedSides owned{.names = names_of(sides)};
    for (Side& side : sides) {
        if (!side.runs.empty() && !side.refusal.empty()) {
            say("{} was measured in only {} rounds: {}", side.job.backend, side.runs.size(),
                side.refusal);
        }
        owned.runs.push_back(std::move(side.runs));
        owned.refusals.push_back(std::move(side.refusal));
    }
    return owned;
}

void require_a_side(const OwnedSides& sides) {
    const bool is_there =
        std::ranges::any_of(sides.runs, [](const std::vector<Run>& runs) { return !runs.empty(); });
    if (!is_there) {
        throw Error(join(sides.refusals, "; "), ExitCode::machine_cannot);
    }
}

}  // namespace strata
