// SPDX-License-Identifier: MIT
#include "store/infeed.h"

#include "base/error.h"
#include "store/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace strata {

std::optional<InfeedResult> load_infeed(const Database& database, std::int64_t run) {
    auto row = row_of<infeed_table>(database, "WHERE run = ?", run);
    if (!row) {
        return {};
    }
    InfeedResult infeed = std::move(std::get<InfeedResult>(*row));
    infeed.times.reason = StopReason::precise;
    const auto series = rows_of_run<infeed_time_table>(database, run);
    for (const InfeedSeries& one : infeed_series) {
        const auto named = std::ranges::find_if(series, [&](const auto& stored) {
            return std::get<OfSeries>(stored).series == one.name;
        });
        Samples& samples = infeed.times.*one.samples;
        if (named != series.end() && std::get<StoredSeries>(*named).values) {
            samples.values = unpack(*std::get<StoredSeries>(*named).values);
        }
        if (samples.values.empty()) {
            throw Error(fmt::format(
                "run {} was fed with images, but has no {} times: the database is damaged", run,
                one.name));
        }
    }
    return infeed;
}

void load_infeed(const Database& database, Run& run) {
    run.infeed = load_infeed(database, run.id);
}

void store_infeed(TableWriter& to, const Run& run) {
    if (!run.infeed) {
        return;
    }
    to.add<infeed_table>(OfRun{run.id}, *run.infeed);
    for (const InfeedSeries& one : infeed_series) {
        to.add<infeed_time_table>(OfSeries{run.id, std::string(one.name)},
                                  stored(run.infeed->times.*one.samples));
    }
}

}  // namespace strata
