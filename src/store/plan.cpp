// SPDX-License-Identifier: MIT
#include "store/plan.h"

#include "base/enumeration.h"
#include "record/identity.h"
#include "store/load.h"
#include "store/owner.h"
#include "store/tables.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string plan_key(const std::string& identity) {
    return key_of(fmt::format("{}\n{}\n{}", host_name(), strata_commit(), identity));
}

// An abandoned open plan: its process is gone, or is this one.
std::optional<std::int64_t> find_abandoned(const Database& database, const std::string& key,
                                           std::size_t count) {
    Statement find(database,
                   "SELECT id, owner FROM plan WHERE key = ? AND state = 'open' AND count = ? "
                   "ORDER BY id DESC");
    for (find.start(key, count); find.next();) {
        const std::string owner = find.text(1);
        if (owner == this_process() || !is_alive(owner)) {
            return find.integer(0);
        }
    }
    return {};
}

std::int64_t create_plan(const Database& database, const std::string& key,
                         const std::string& identity, std::size_t count) {
    TableWriter(database).add<plan_table>(
        RowId{}, PlanRow{now_utc(), key, identity, static_cast<std::int64_t>(count), "open",
                         this_process()});
    return database.last_inserted_id();
}

void take_over(const Database& database, std::int64_t plan) {
    Statement(database, "UPDATE plan SET owner = ? WHERE id = ?").run(this_process(), plan);
}

}  // namespace

StoredPlan StoredPlan::open(const Database& database, const std::string& identity,
                            std::size_t count) {
    Transaction transaction(database);
    const std::string key = plan_key(identity);
    const auto found = find_abandoned(database, key, count);
    const std::int64_t id = found ? *found : create_plan(database, key, identity, count);
    take_over(database, id);
    transaction.commit();
    return {database, {.plan = id, .index = 0}, true};
}

StoredPlan StoredPlan::at(const Database& database, PlanPosition position) {
    return {database, position, false};
}

std::optional<Run> StoredPlan::run_at(std::size_t index, RunState state) const {
    Statement find(*database_, "SELECT id FROM run WHERE plan = ? AND place = ? AND state = ?");
    if (!find.start(first_.plan, position(index).index, name_of(state)).next()) {
        return {};
    }
    return load_run(*database_, find.integer(0));
}

std::optional<Run> StoredPlan::complete_run(std::size_t index) const {
    return run_at(index, RunState::complete);
}

std::optional<Run> StoredPlan::partial_run(std::size_t index) const {
    return run_at(index, RunState::partial);
}

PlanPosition StoredPlan::position(std::size_t index) const {
    return {.plan = first_.plan, .index = first_.index + static_cast<std::int64_t>(index)};
}

void StoredPlan::close() const {
    if (is_kept_here_) {
        Statement(*database_, "UPDATE plan SET state = 'done' WHERE id = ?").run(id());
    }
}

}  // namespace strata
