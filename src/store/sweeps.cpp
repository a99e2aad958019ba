// SPDX-License-Identifier: MIT
#include "store/sweeps.h"

#include "record/identity.h"
#include "store/owner.h"
#include "store/tables.h"

namespace strata {

StoredSweep::StoredSweep(const Database& database, std::int64_t id)
    : database_(&database), id_(id), writer_(std::make_shared<TableWriter>(database)) {}

StoredSweep StoredSweep::open(const Database& database, const std::string& name,
                              const std::string& identity, std::int64_t points) {
    Transaction transaction(database);
    const std::string key = key_of(identity);
    TableWriter(database).add<sweep_table>(RowId{},
                                           SweepRow{now_utc(), name, key, identity, points});
    Statement find(database, "SELECT id FROM sweep WHERE key = ?");
    find.start(key).next();
    const std::int64_t id = find.integer(0);
    find.next();  // an unfinished statement would prevent the transaction from ending
    transaction.commit();
    return {database, id};
}

std::vector<bool> StoredSweep::finished() const {
    Statement size(*database_, "SELECT points FROM sweep WHERE id = ?");
    size.start(id_).next();
    std::vector<bool> finished(static_cast<std::size_t>(size.integer(0)));
    Statement find(*database_,
                   "SELECT position FROM sweep_point "
                   "WHERE sweep = ? AND repeat = 0 AND outcome <> 'claimed'");
    for (find.start(id_); find.next();) {
        if (const auto at = static_cast<std::size_t>(find.integer(0)); at < finished.size()) {
            finished[at] = true;
        }
    }
    return finished;
}

bool StoredSweep::is_free(std::int64_t position, std::int64_t repeat) const {
    Statement find(*database_,
                   "SELECT outcome, owner FROM sweep_point "
                   "WHERE sweep = ? AND position = ? AND repeat = ?");
    if (!find.start(id_, position, repeat).next()) {
        return true;
    }
    const std::string owner = find.text(1);
    return find.text(0) == name_of(PointOutcome::claimed) &&
           (owner == this_process() || !is_alive(owner));
}

bool StoredSweep::claim(const StoredPoint& point) const {
    Transaction transaction(*database_);
    if (!is_free(point.position, point.repeat)) {
        return false;
    }
    StoredPoint mine = point;
    mine.outcome = PointOutcome::claimed;
    mine.reason.clear();
    mine.run.reset();
    finish(mine);
    transaction.commit();
    return true;
}

void StoredSweep::finish(const StoredPoint& point) const {
    const bool is_claimed = point.outcome == PointOutcome::claimed;
    writer_->add<sweep_point_table>(OfSweep{id_, is_claimed ? this_process() : ""}, point);
}

std::map<PointOutcome, std::int64_t> StoredSweep::outcomes() const {
    std::map<PointOutcome, std::int64_t> counts;
    Statement find(*database_,
                   "SELECT outcome, count(*) FROM sweep_point WHERE sweep = ? AND repeat = 0 "
                   "GROUP BY outcome");
    for (find.start(id_); find.next();) {
        counts[parse_stored<PointOutcome>(find.text(0))] = find.integer(1);
    }
    return counts;
}

std::vector<Seconds> StoredSweep::anchor_times() const {
    std::vector<Seconds> times;
    Statement find(*database_,
                   "SELECT median_ns FROM sweep_point JOIN whole USING (run) "
                   "WHERE sweep = ? AND repeat > 0 AND outcome = 'ok' AND series = 'end_to_end' "
                   "AND median_ns IS NOT NULL ORDER BY run");
    for (find.start(id_); find.next();) {
        times.push_back(Seconds{1e-9 * static_cast<double>(find.integer(0))});
    }
    return times;
}

void StoredSweep::flag_run(std::int64_t run, std::string_view kind,
                           const std::string& sentence) const {
    Statement(*database_,
              "INSERT INTO flag (run, position, kind, sentence) SELECT ?1, "
              "(SELECT count(*) FROM flag WHERE run = ?1), ?2, ?3")
        .run(run, kind, sentence);
}

}  // namespace strata
