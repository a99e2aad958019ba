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

// The representation of values in the database (schema.sql documents it).

// Integer nanoseconds. Throws Error for a time that is not finite or over 292 years.
std::int64_t nanoseconds(Seconds time);

// A count of bytes or operations, rounded to an integer. Throws Error if it is not a count:
// negative, infinite, NaN, over 63 bits.
std::int64_t whole_count(double count);

// The enumerator named by a column. Throws Error for any other text: the database is damaged.
template <NamedEnumeration E>
E parse_stored(const std::string& name) {
    const auto value = value_named<E>(name);
    if (!value) {
        throw Error("'" + printable(name) + "' is not a known value here: the database is damaged");
    }
    return *value;
}

// Samples as little-endian IEEE 754 doubles, and back to the same bits. Unpacking throws Error if
// the number of bytes is not a multiple of eight.
std::vector<std::byte> pack(std::span<const Seconds> values);
std::vector<Seconds> unpack(std::span<const std::byte> bytes);

// The columns of every series of samples.
struct StoredSeries {
    std::int64_t samples = 0;
    std::optional<std::int64_t> median;  // ns
    std::optional<std::int64_t> low;
    std::optional<std::int64_t> high;
    std::optional<std::vector<std::byte>> values;
};

StoredSeries stored(const Samples& samples);
// The summary by an estimate that includes samples of other steps.
StoredSeries stored(const Samples& samples, const Estimate& summary);

// "measured"; "skipped" or "failed" with the reason; "included" with the step that does it;
// "planned" without samples yet.
struct StoredStatus {
    std::string word;
    std::optional<std::string> reason = {};

    bool operator==(const StoredStatus&) const = default;
};

StoredStatus stored_status_of(const Measurement& measurement);

// Throws Error for any other word.
Measurement measurement_of(const StoredStatus& status, std::span<const std::byte> values);

// The step that other rows of a run refer to. Throws Error if the run has none at that position.
StepResult& step_at(Run& run, std::int64_t position);

// The table of texts that many rows repeat. Use one per transaction: ids of a rolled-back
// transaction are invalid.
class TextTable {
public:
    explicit TextTable(const Database& database);

    // The id of a text, which is added if it is new.
    std::int64_t id_of(const std::string& text);

private:
    Statement find_;
    Statement insert_;
    std::unordered_map<std::string, std::int64_t> known_;
};

}  // namespace strata
