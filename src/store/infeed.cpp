// SPDX-License-Identifier: MIT
#include "store/infeed.h"

#include "base/error.h"
#include "store/statement.h"
#include "store/stored_values.h"

#include <fmt/format.h>

namespace strata {

std::optional<InfeedResult> load_infeed(const Database& database, std::int64_t run) {
    Statement row(
        database,
        "SELECT source, images, encoded_bytes, pixels, threads FROM infeed WHERE run = ?");
    if (!row.start(run).next()) {
        return {};
    }
    InfeedResult infeed{.source = row.text(0),
                        .images = row.integer(1),
                        .encoded = {static_cast<double>(row.integer(2))},
                        .pixels = static_cast<double>(row.integer(3)),
                        .threads = static_cast<int>(row.integer(4)),
                        .times = {.reason = StopReason::precise}};
    Statement series(database,
                     "SELECT sample_values FROM infeed_time WHERE run = ? AND series = ?");
    for (const InfeedSeries& one : infeed_series) {
        Samples& samples = infeed.times.*one.samples;
        if (series.start(run, one.name).next()) {
            samples.values = unpack(series.bytes(0));
        }
        if (samples.values.empty()) {
            throw Error(fmt::format(
                "run {} was fed with images, but has no {} times: the database is damaged", run,
                one.name));
        }
    }
    return infeed;
}

void store_infeed(const Database& database, const Run& run) {
    Statement(database, "DELETE FROM infeed WHERE run = ?").run(run.id);
    if (!run.infeed) {
        return;
    }
    const InfeedResult& infeed = *run.infeed;
    Statement(database,
              "INSERT INTO infeed (run, source, images, encoded_bytes, pixels, threads) "
              "VALUES (?, ?, ?, ?, ?, ?)")
        .run(run.id, infeed.source, infeed.images, whole_count(infeed.encoded.value),
             whole_count(infeed.pixels), infeed.threads);
    Statement insert(database,
                     "INSERT INTO infeed_time (run, series, samples, median_ns, low_ns, high_ns, "
                     "sample_values) VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (const InfeedSeries& one : infeed_series) {
        const StoredSeries series = stored(infeed.times.*one.samples);
        insert.run(run.id, one.name, series.samples, series.median, series.low, series.high,
                   series.values);
    }
}

}  // namespace strata
