// SPDX-License-Identifier: MIT
#pragma once

#include "op/work.h"
#include "trace/trace.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Why no time of a run includes a record of a file.
enum class LeftOutReason {
    nameless,
    implausible_time,
    no_time,
    no_value,
    unclear_number,
    unknown_unit,
    unknown_kind,
    unpaired,
    broken_row,
    other_table,
    host_alone,
    empty_range,
    other_process,
    own_lines,
};
inline constexpr std::array<std::string_view, 14> names_of(LeftOutReason) {
    return {"nameless",     "implausible time", "no time",       "no value",   "unclear number",
            "unknown unit", "unknown kind",     "unpaired",      "broken row", "other table",
            "host alone",   "empty range",      "other process", "own lines"};
}

// Some records, and the total of their times: as stated in the file, one by one, so that
// overlapping records each count.
struct LedgerAccount {
    std::uint64_t records = 0;
    double nanoseconds = 0;  // (a hostile file's sum may be beyond 64 bits)

    Seconds time() const { return {nanoseconds * 1e-9}; }
    void add(std::optional<Nanoseconds> time, std::uint64_t more = 1);
    friend bool operator==(const LedgerAccount&, const LedgerAccount&) = default;
};

// Records that are left out for one reason.
struct LeftOutAccount {
    LeftOutReason reason = {};
    std::string what = {};  // detail: a category, a unit, a process; or nothing
    LedgerAccount account = {};
};

// The ledger of one file. A record is anything that the file states to have run: an operator, call,
// range, kernel, copy or fill as an event with a duration, a row of a table (and each counter in
// it, if a row has several), or a line of a log. Entries without a duration by nature (a mark,
// flow, counter, sample of memory, name of a thread) and the program's own output are not records.
// Each record that a reader meets is booked once:
//
//     met = used + context + left out
//
// If a reader forgets one, the ledger does not balance, which is a bug of strata (imported_run
// checks it).
class Ledger {
public:
    // A reader met records.
    void meet(std::uint64_t records = 1) { met_ += records; }

    // The record's time is part of an operator's.
    void use(std::optional<Nanoseconds> time) { used_.add(time); }
    // The record describes others, and its time is in no sum: a range, a call, an operator within
    // another, a counter of a kernel.
    void use_as_context(std::optional<Nanoseconds> time, std::uint64_t records = 1) {
        context_.add(time, records);
    }
    void leave_out(LeftOutReason reason, std::string_view what = {},
                   std::optional<Nanoseconds> time = {}, std::uint64_t records = 1);
    // The same for many records with a known sum.
    void leave_out(LeftOutReason reason, std::string_view what, const LedgerAccount& account);

    // A message of the tool in the file about its recording ("Profiler lost 12 records").
    void quote(std::string_view message);

    std::uint64_t met() const { return met_; }
    const LedgerAccount& used() const { return used_; }
    const LedgerAccount& context() const { return context_; }
    LedgerAccount left_out() const;
    std::uint64_t left_out(LeftOutReason reason) const;
    // Sorted by reason, then by name.
    std::vector<LeftOutAccount> accounts() const;
    bool is_balanced() const {
        return met_ == used_.records + context_.records + left_out().records;
    }

    // One sentence for each reason, with number and time, and one for each message of the tool.
    std::vector<std::string> sentences() const;

private:
    using ByName = std::map<std::string, LedgerAccount, std::less<>>;

    std::uint64_t met_ = 0;
    LedgerAccount used_ = {};
    LedgerAccount context_ = {};
    std::map<LeftOutReason, ByName> left_out_ = {};
    std::map<std::string, std::uint64_t, std::less<>> messages_ = {};
};

}  // namespace strata
