// SPDX-License-Identifier: MIT
#include "store/stored_values.h"

#include "base/error.h"
#include "base/text.h"
#include "measure/statistics.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace strata {

namespace {

std::int64_t rounded(double value, const char* what) {
    constexpr double limit = 0x1p63;
    if (!(std::abs(value) < limit)) {
        throw Error(fmt::format("{} cannot be stored as {}", value, what));
    }
    return std::llround(value);
}

struct StatusOf {
    StoredStatus operator()(const Samples& samples) const {
        return {samples.values.empty() ? "planned" : "measured"};
    }
    StoredStatus operator()(const Skipped& skipped) const { return {"skipped", skipped.reason}; }
    StoredStatus operator()(const Failed& failed) const { return {"failed", failed.reason}; }
    StoredStatus operator()(const Included& included) const { return {"included", included.step}; }
    StoredStatus operator()(const NoOp&) const { return {"no-op"}; }
};

}  // namespace

std::int64_t nanoseconds(Seconds time) {
    return rounded(time.value * 1e9, "nanoseconds");
}

std::int64_t whole_count(double count) {
    if (count < 0) {
        throw Error(fmt::format("{} cannot be stored as a count", count));
    }
    return rounded(count, "a count");
}

std::vector<std::byte> pack(std::span<const Seconds> values) {
    std::vector<std::byte> bytes;
    bytes.reserve(values.size() * sizeof(double));
    for (const Seconds value : values) {
        const auto bits = std::bit_cast<std::uint64_t>(value.value);
        for (int shift = 0; shift < 64; shift += 8) {
            bytes.push_back(static_cast<std::byte>(bits >> shift));
        }
    }
    return bytes;
}

std::vector<Seconds> unpack(std::span<const std::byte> bytes) {
    if (bytes.size() % sizeof(double) != 0) {
        throw Error(fmt::format(
            "{} bytes are not a whole number of samples: the database is damaged", bytes.size()));
    }
    std::vector<Seconds> values;
    values.reserve(bytes.size() / sizeof(double));
    for (; !bytes.empty(); bytes = bytes.subspan(sizeof(double))) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(double); ++i) {
            bits |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        }
        values.push_back({std::bit_cast<double>(bits)});
    }
    return values;
}

StoredSeries stored(const Samples& samples) {
    return samples.values.empty() ? StoredSeries{} : stored(samples, estimate(samples));
}

StoredSeries stored(const Samples& samples, const Estimate& summary) {
    return {.samples = static_cast<std::int64_t>(samples.values.size()),
            .median = nanoseconds(summary.median),
            .low = nanoseconds(summary.low),
            .high = nanoseconds(summary.high),
            .values = pack(samples.values)};
}

StoredStatus stored_status_of(const Measurement& measurement) {
    return std::visit(StatusOf{}, measurement);
}

Measurement measurement_of(const StoredStatus& status, std::span<const std::byte> values) {
    if (status.word == "planned" || status.word == "measured") {
        return Samples{unpack(values)};
    }
    const std::string reason = status.reason.value_or("");
    if (status.word == "skipped") {
        return Skipped{reason};
    }
    if (status.word == "failed") {
        return Failed{reason};
    }
    if (status.word == "included") {
        return Included{reason};
    }
    if (status.word == "no-op") {
        return NoOp{};
    }
    throw Error(
        fmt::format("'{}' is not a step status: the database is damaged", printable(status.word)));
}

StepResult& step_at(Run& run, std::int64_t position) {
    if (position < 0 || position >= std::ssize(run.steps)) {
        throw Error(fmt::format(
            "run {} has values for step {}, which it does not have: the database is damaged",
            run.id, position));
    }
    return run.steps[static_cast<std::size_t>(position)];
}

TextTable::TextTable(const Database& database)
    : find_(database, "SELECT id FROM text WHERE value = ?"),
      insert_(database, "INSERT INTO text (value) VALUES (?) RETURNING id") {}

std::int64_t TextTable::id_of(const std::string& text) {
    const auto [entry, is_new] = known_.try_emplace(text);
    if (is_new) {
        Statement& source = find_.start(text).next() ? find_ : insert_;
        if (&source == &insert_) {
            insert_.start(text).next();
        }
        entry->second = source.integer(0);
        while (source.next()) {
            // An unfinished statement would prevent a transaction from ending.
        }
    }
    return entry->second;
}

}  // namespace strata
