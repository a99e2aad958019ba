// SPDX-License-Identifier: MIT
#include "store/tunings.h"

#include "base/error.h"
#include "record/identity.h"
#include "store/tables.h"

#include <utility>

namespace strata {

namespace {

// Finds the scope whose id is the first result.
constexpr std::string_view scope_of =
    "SELECT scope.id FROM tuning_scope AS scope "
    "JOIN text AS machine ON machine.id = scope.machine "
    "JOIN text AS instructions ON instructions.id = scope.instructions "
    "JOIN text AS library ON library.id = scope.library "
    "WHERE machine.value = ? AND instructions.value = ? AND library.value = ? "
    "AND scope.kernels = ? AND scope.threads = ? AND scope.dtype = ? "
    "AND scope.mode = ? AND scope.fusion = ?";

// Rows of one pass of a problem in a scope.
constexpr std::string_view of_pass =
    "WHERE scope = ? AND problem = (SELECT id FROM text WHERE value = ?) AND pass = ?";

std::optional<std::int64_t> id_of(const Database& database, const TuningScope& scope) {
    Statement find(database, scope_of);
    find.start(scope.machine, scope.instructions, scope.library, scope.kernels, scope.threads,
               name_of(scope.dtype), name_of(scope.mode), name_of(scope.fusion));
    return find.next() ? std::optional(find.integer(0)) : std::nullopt;
}

// The scope is added if it is new.
OfScope stored_scope(TableWriter& to, const TuningScope& scope) {
    to.add<tuning_scope_table>(RowId{}, scope);
    const auto id = id_of(to.database(), scope);
    check(id.has_value(), "the scope was just stored");
    return {*id};
}

template <const auto& table, class Result>
void store_results(const Database& database, const TuningScope& scope,
                   std::span<const Result> results) {
    Transaction transaction(database);
    TableWriter writer(database);
    const OfScope key = stored_scope(writer, scope);
    const std::string now = now_utc();
    for (const Result& result : results) {
        writer.add<table>(key, TuningEntry{now, std::string(name_of(result.algorithm))}, result);
    }
    transaction.commit();
}

// The results of a pass; those of an algorithm that this version no longer has are skipped.
template <const auto& table, class Result>
std::vector<Result> results_of(const Database& database, const TuningScope& scope,
                               const std::string& problem, Pass pass) {
    std::vector<Result> results;
    if (const auto id = id_of(database, scope)) {
        for (auto& [key, entry, result] :
             rows_of<table>(database, of_pass, *id, problem, name_of(pass))) {
            if (const auto algorithm = pass_algorithm_named(entry.algorithm)) {
                result.algorithm = *algorithm;
                results.push_back(std::move(result));
            }
        }
    }
    return results;
}

}  // namespace

StoredTunings::StoredTunings(const Database& database, TuningScope scope)
    : database_(&database), scope_(std::move(scope)) {}

std::optional<TunedPass> StoredTunings::tuned(const std::string& problem, Pass pass) const {
    auto found = results_of<tuning_table, TunedPass>(*database_, scope_, problem, pass);
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<TuningTrial> StoredTunings::trials(const std::string& problem, Pass pass) const {
    return results_of<tuning_trial_table, TuningTrial>(*database_, scope_, problem, pass);
}

void StoredTunings::store(std::span<const TuningTrial> trials) const {
    for (const TuningTrial& trial : trials) {
        check(trial.ratio.has_value() == trial.reason.empty(), "a trial has a ratio or a reason");
    }
    store_results<tuning_trial_table>(*database_, scope_, trials);
}

void StoredTunings::store(std::span<const TunedPass> passes) const {
    store_results<tuning_table>(*database_, scope_, passes);
}

void StoredTunings::forget(const std::string& problem) const {
    Transaction transaction(*database_);
    if (const auto scope = id_of(*database_, scope_)) {
        for (const char* table : {"tuning", "tuning_trial"}) {
            Statement(*database_, std::string("DELETE FROM ") + table +
                                      " WHERE scope = ? AND problem = (SELECT id FROM text WHERE "
                                      "value = ?)")
                .run(*scope, problem);
        }
    }
    transaction.commit();
}

}  // namespace strata
