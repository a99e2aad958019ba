// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"
#include "store/save.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// The runs that one command measures, in order. A plan stays open until all of them are complete.
// Until then the same command, repeated on the same machine, finds the plan and its results:
// complete runs are not measured again, and a partial one is continued.
//
//   StoredPlan plan = StoredPlan::open(database, identity, 3);
//   for (each index) {
//       if (plan.complete_run(index)) continue;
//       Run run = plan.partial_run(index).value_or(a new one);
//       begin_run(database, run, plan.position(index));
//       Checkpoints checkpoints(database, run); … checkpoints.store(run) … finish_run
//   }
//   plan.close();
class StoredPlan {
public:
    // The open plan with this identity (everything that decides the results, as text) that no
    // living process works on, or a new one. The machine and strata's commit are part of its
    // identity, so that samples of different programs are never mixed. Requires: the database
    // outlives it.
    static StoredPlan open(const Database& database, const std::string& identity,
                           std::size_t count);

    // One place in a plan that another process keeps open and closes: index 0 is that place.
    // Requires: as for `open`.
    static StoredPlan at(const Database& database, PlanPosition position);

    std::optional<Run> complete_run(std::size_t index) const;
    std::optional<Run> partial_run(std::size_t index) const;
    PlanPosition position(std::size_t index) const;
    std::int64_t id() const { return first_.plan; }

    // Ends the plan, so that the same command starts over. Finishing the last run ends it too. Does
    // nothing to a plan that another process keeps.
    void close() const;

private:
    StoredPlan(const Database& database, PlanPosition first, bool is_kept_here)
        : database_(&database), first_(first), is_kept_here_(is_kept_here) {}
    std::optional<Run> run_at(std::size_t index, RunState state) const;

    const Database* database_;
    PlanPosition first_;
    bool is_kept_here_;
};

}  // namespace strata
