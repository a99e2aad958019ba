// SPDX-License-Identifier: MIT
#include "run/rounds.h"

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

// The sides of one round, in the order in which they are measured.
std::vector<std::size_t> order_in(int round, std::size_t sides) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < sides; ++i) {
        order.push_back(round % 2 == 0 ? i : sides - 1 - i);
    }
    return order;
}

}  // namespace

ExitCode measure_in_turn(std::vector<Side>& sides, int rounds, const Database& database,
                         const RoundsHooks& hooks) {
    const std::size_t count = sides.size() * static_cast<std::size_t>(rounds);
    const StoredPlan plan = StoredPlan::open(database, identity_of(sides, rounds), count);
    std::size_t done = 0;
    for (int round = 0; round < rounds; ++round) {
        for (const std::size_t i : order_in(round, sides.size())) {
            Side& side = sides[i];
            const std::size_t place = static_cast<std::size_t>(round) * sides.size() + i;
            if (side.refusal.empty() && !plan.complete_run(place)) {
                if (hooks.begins) {
                    hooks.begins(side, round, done);
                }
                side.refusal = hooks.measure(side.job, plan.position(place));
            }
            if (hooks.stop != nullptr && *hooks.stop) {
                return ExitCode::interrupted;
            }
            if (auto run = plan.complete_run(place)) {
                side.refusal.clear();
                side.runs.push_back(*std::move(run));
            }
            ++done;
        }
        if (hooks.are_enough && hooks.are_enough(sides)) {
            break;
        }
    }
    plan.close();
    return ExitCode::done;
}

}  // namespace strata
