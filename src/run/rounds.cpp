// SPDX-License-Identifier: MIT
#include "run/rounds.h"

#include "measure/contest.h"
#include "store/plan.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string identity_of(const std::vector<Side>& sides, int rounds) {
    std::string text = fmt::format("compare rounds={}\n", rounds);
    for (const Side& side : sides) {
        text += identity_of(side.job) + "\n";
    }
    return text;
}

}  // namespace

ExitCode measure_in_turn(std::vector<Side>& sides, int rounds, const Database& database,
                         const RoundsHooks& hooks) {
    const auto wanted = static_cast<std::size_t>(rounds);
    const StoredPlan plan =
        StoredPlan::open(database, identity_of(sides, rounds), sides.size() * wanted);
    Contest contest(TurnOrder::reversing, [&] { return hooks.stop != nullptr && *hooks.stop; });
    std::size_t done = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        contest.add([&, i] {
            Side& side = sides[i];
            const std::size_t place = contest.rounds() * sides.size() + i;
            if (side.refusal.empty() && !plan.complete_run(place)) {
                if (hooks.begins) {
                    hooks.begins(side, static_cast<int>(contest.rounds()), done);
                }
                side.refusal = hooks.measure(side.job, plan.position(place));
            }
            if (auto run = plan.complete_run(place)) {
                side.refusal.clear();
                side.runs.push_back(*std::move(run));
            }
            ++done;
            return std::vector<Seconds>();
        });
    }
    while (contest.rounds() < wanted) {
        if (!contest.run_round()) {
            return ExitCode::interrupted;
        }
        if (hooks.are_enough && hooks.are_enough(sides)) {
            break;
        }
    }
    plan.close();
    return ExitCode::done;
}

}  // namespace strata
