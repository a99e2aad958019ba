// SPDX-License-Identifier: MIT
#include "store/tunings.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "store/statement.h"
#include "store/stored_values.h"

#include <functional>

namespace strata {

namespace {

// Selects the rows of one scope without its id.
constexpr std::string_view of_scope =
    " JOIN tuning_scope AS scope ON scope.id = rows.scope "
    "JOIN text AS machine ON machine.id = scope.machine "
    "JOIN text AS instructions ON instructions.id = scope.instructions "
    "JOIN text AS library ON library.id = scope.library "
    "JOIN text AS problem ON problem.id = rows.problem "
    "JOIN text AS implementation ON implementation.id = rows.implementation "
    "WHERE machine.value = ? AND instructions.value = ? AND library.value = ? "
    "AND scope.kernels = ? AND scope.threads = ? AND scope.dtype = ? "
    "AND scope.mode = ? AND scope.fusion = ? "
    "AND problem.value = ? AND rows.pass = ?";

Statement& start(Statement& find, const TuningScope& scope, const std::string& problem, Pass pass) {
    return find.start(scope.machine, scope.instructions, scope.library, scope.kernels,
                      scope.threads, name_of(scope.dtype), name_of(scope.mode),
                      name_of(scope.fusion), problem, name_of(pass));
}

// The scope's id; the scope is added if it is new.
std::int64_t id_of(const Database& database, const TuningScope& scope, TextTable& texts) {
    const std::int64_t machine = texts.id_of(scope.machine);
    const std::int64_t instructions = texts.id_of(scope.instructions);
    const std::int64_t library = texts.id_of(scope.library);
    Statement(database,
              "INSERT OR IGNORE INTO tuning_scope "
              "(machine, instructions, library, kernels, threads, dtype, mode, fusion) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .run(machine, instructions, library, scope.kernels, scope.threads, name_of(scope.dtype),
             name_of(scope.mode), name_of(scope.fusion));
    Statement find(database,
                   "SELECT id FROM tuning_scope WHERE machine = ? AND instructions = ? AND library "
                   "= ? AND kernels = ? AND threads = ? AND dtype = ? AND mode = ? AND fusion = ?");
    find.start(machine, instructions, library, scope.kernels, scope.threads, name_of(scope.dtype),
               name_of(scope.mode), name_of(scope.fusion));
    check(find.next(), "the scope was just stored");
    return find.integer(0);
}

std::optional<Ratio> ratio_at(const Statement& row, int column) {
    if (row.is_null(column)) {
        return std::nullopt;
    }
    return Ratio{row.real(column), row.real(column + 1), row.real(column + 2)};
}

template <class Part>
std::optional<double> part_of(const std::optional<Ratio>& ratio, Part part) {
    return ratio ? std::optional(std::invoke(part, *ratio)) : std::nullopt;
}

// Rows of an algorithm that this version no longer has are skipped.
std::optional<PassAlgorithm> algorithm_at(const Statement& row, int column) {
    return pass_algorithm_named(row.text(column));
}

}  // namespace

StoredTunings::StoredTunings(const Database& database, TuningScope scope)
    : database_(&database), scope_(std::move(scope)) {}

std::optional<TunedPass> StoredTunings::tuned(const std::string& problem, Pass pass) const {
    Statement find(*database_,
                   "SELECT rows.algorithm, implementation.value, rows.ratio, rows.ratio_low, "
                   "rows.ratio_high, rows.candidates, network.value FROM tuning AS rows "
                   "JOIN text AS network ON network.id = rows.network" +
                       std::string(of_scope));
    if (!start(find, scope_, problem, pass).next()) {
        return std::nullopt;
    }
    const auto algorithm = algorithm_at(find, 0);
    if (!algorithm) {
        return std::nullopt;
    }
    return TunedPass{.problem = problem,
                     .pass = pass,
                     .algorithm = *algorithm,
                     .implementation = find.text(1),
                     .ratio = ratio_at(find, 2),
                     .candidates = static_cast<std::size_t>(find.integer(5)),
                     .network = find.text(6)};
}

std::vector<TuningTrial> StoredTunings::trials(const std::string& problem, Pass pass) const {
    Statement find(*database_,
                   "SELECT rows.algorithm, implementation.value, rows.ratio, rows.ratio_low, "
                   "rows.ratio_high, rows.usual_ns, rows.own_ns, rows.rounds, rows.reason "
                   "FROM tuning_trial AS rows" +
                       std::string(of_scope));
    std::vector<TuningTrial> trials;
    for (start(find, scope_, problem, pass); find.next();) {
        if (const auto algorithm = algorithm_at(find, 0)) {
            trials.push_back({.problem = problem,
                              .pass = pass,
                              .algorithm = *algorithm,
                              .implementation = find.text(1),
                              .ratio = ratio_at(find, 2),
                              .usual = {static_cast<double>(find.integer(5)) / 1e9},
                              .own = {static_cast<double>(find.integer(6)) / 1e9},
                              .rounds = static_cast<std::size_t>(find.integer(7)),
                              .reason = find.is_null(8) ? std::string() : find.text(8)});
        }
    }
    return trials;
}

void StoredTunings::store(std::span<const TuningTrial> trials) const {
    Transaction transaction(*database_);
    TextTable texts(*database_);
    const std::int64_t scope = id_of(*database_, scope_, texts);
    Statement insert(*database_,
                     "INSERT OR REPLACE INTO tuning_trial (scope, problem, pass, algorithm, "
                     "implementation, created, ratio, ratio_low, ratio_high, usual_ns, own_ns, "
                     "rounds, reason) VALUES (?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
                     ", ?, ?, ?, ?, ?, ?, ?)");
    for (const TuningTrial& trial : trials) {
        check(trial.ratio.has_value() == trial.reason.empty(), "a trial has a ratio or a reason");
        insert.run(scope, texts.id_of(trial.problem), name_of(trial.pass), name_of(trial.algorithm),
                   texts.id_of(trial.implementation), part_of(trial.ratio, &Ratio::value),
                   part_of(trial.ratio, &Ratio::low), part_of(trial.ratio, &Ratio::high),
                   nanoseconds(trial.usual), nanoseconds(trial.own), trial.rounds,
                   trial.reason.empty() ? std::nullopt : std::optional(trial.reason));
    }
    transaction.commit();
}

void StoredTunings::store(std::span<const TunedPass> passes) const {
    Transaction transaction(*database_);
    TextTable texts(*database_);
    const std::int64_t scope = id_of(*database_, scope_, texts);
    Statement insert(
        *database_,
        "INSERT OR REPLACE INTO tuning (scope, problem, pass, algorithm, "
        "implementation, created, network, candidates, ratio, ratio_low, ratio_high) "
        "VALUES (?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?, ?, ?)");
    for (const TunedPass& pass : passes) {
        insert.run(scope, texts.id_of(pass.problem), name_of(pass.pass), name_of(pass.algorithm),
                   texts.id_of(pass.implementation), texts.id_of(pass.network), pass.candidates,
                   part_of(pass.ratio, &Ratio::value), part_of(pass.ratio, &Ratio::low),
                   part_of(pass.ratio, &Ratio::high));
    }
    transaction.commit();
}

void StoredTunings::forget(const std::string& problem) const {
    Transaction transaction(*database_);
    TextTable texts(*database_);
    const std::int64_t scope = id_of(*database_, scope_, texts);
    const std::int64_t text = texts.id_of(problem);
    for (const char* table : {"tuning", "tuning_trial"}) {
        Statement(*database_,
                  std::string("DELETE FROM ") + table + " WHERE scope = ? AND problem = ?")
            .run(scope, text);
    }
    transaction.commit();
}

}  // namespace strata
