// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"
#include "measure/measurement.h"
#include "measure/statistics.h"
#include "record/run.h"
#include "store/statement.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace strata {

// How values stand in the database (schema.sql says it for its readers).

// Whole nanoseconds. Throws Error for a time that is not finite or beyond 292 years.
std::int64_t nanoseconds(Seconds time);

// A count of bytes or operations, rounded to a whole. Throws Error for what is no count: negative,
// infinite, not a number, beyond 63 bits.
std::int64_t whole_count(double count);

// The enumerator that a column names. Throws Error for any other text: the database is damaged.
template <NamedEnumeration E>
E parse_stored(const std::string& name) {
    const auto value = value_named<E>(name);
    if (!value) {
        throw Error("'" + printable(name) + "' is not a known value here: the database is damaged");
    }
    return *value;
}

// Samples as little-endian IEEE 754 doubles, and back to the same bits. Unpacking throws Error for
// a number of bytes that is no multiple of eight.
std::vector<std::byte> pack(std::span<const Seconds> values);
std::vector<Seconds> unpack(std::span<const std::byte> bytes);

// The columns that every series of samples has.
struct StoredSeries {
    std::int64_t samples = 0;
    std::optional<std::int64_t> median;  // ns
    std::optional<std::int64_t> low;
    std::optional<std::int64_t> high;
    std::optional<std::vector<std::byte>> values;
};

StoredSeries stored(const Samples& samples);
// Summarised by an estimate that others' samples contributed to.
StoredSeries stored(const Samples& samples, const Estimate& summary);

// "measured"; "skipped" or "failed" and why; "included" and the step that does it; "planned" for
// samples that are still to come.
struct StoredStatus {
    std::string word;
    std::optional<std::string> reason = {};

    bool operator==(const StoredStatus&) const = default;
};

StoredStatus stored_status_of(const Measurement& measurement);

// Throws Error for a word that is none of these.
Measurement measurement_of(const StoredStatus& status, std::span<const std::byte> values);

// The step that other rows of a run are about. Throws Error where the run has none there.
StepResult& step_at(Run& run, std::int64_t position);

// The table of texts that many rows repeat. Use one per transaction: ids of a transaction that was
// rolled back are void.
class TextTable {
public:
    explicit TextTable(const Database& database);

    // The id of a text, which is added where it is new.
    std::int64_t id_of(const std::string& text);

private:
    Statement find_;
    Statement insert_;
    std::unordered_map<std::string, std::int64_t> known_;
};

}  // namespace strata
