// SPDX-License-Identifier: MIT
#include "sweep/measured.h"

#include "base/text.h"
#include "base/unit_text.h"
#include "record/completeness.h"
#include "record/options.h"
#include "run/memory.h"

#include <fmt/format.h>

#include <cmath>
#include <new>

namespace strata {

namespace {

// Why the given limit forbids a point; empty if it does not.
std::string beyond_limit(const SweepSpec& spec, const Job& job) {
    if (!spec.limits.memory) {
        return "";
    }
    const Bytes needed = job.plan->footprint.peak;
    return needed > *spec.limits.memory
               ? fmt::format("it needs {}, and --max-memory gives {}", byte_size_text(needed),
                             byte_size_text(*spec.limits.memory))
               : "";
}

void take_run(const Run& run, StoredPoint& point) {
    point.run = run.id;
    point.outcome = is_incomplete(run) ? PointOutcome::failed : PointOutcome::ok;
    point.reason = is_incomplete(run) ? holes_text(run) : "";
}

// Measures one point. False if it was interrupted.
bool measure_point(const SweepSpec& spec, Database& database, const CampaignHooks& common,
                   StoredPoint& point) {
    const GridPoint place = point_of(spec, point.position);
    const Job job = planned(job_of(spec, place));
    if (std::string reason = beyond_limit(spec, job); !reason.empty()) {
        point.outcome = PointOutcome::skipped;
        point.reason = std::move(reason);
        return true;
    }
    const Experiment experiment{
        .groups = {{job}}, .settings = {spec.settings[place.settings]}, .variations = {}};
    CampaignHooks hooks = common;
    hooks.show = [&](const std::vector<Run>& runs, const std::optional<Capacity>&) {
        if (!runs.empty()) {
            take_run(runs.front(), point);
        }
    };
    return run_campaign(experiment, database, hooks) != ExitCode::interrupted;
}

// The same, with any failure as the point's outcome.
bool settle_point(const SweepSpec& spec, Database& database, const CampaignHooks& hooks,
                  StoredPoint& point) {
    point.outcome = PointOutcome::failed;
    point.reason = "it was not measured";
    try {
        return measure_point(spec, database, hooks, point);
    } catch (const NeedsMemory& error) {
        point.outcome = PointOutcome::out_of_memory;
        point.reason = error.what();
    } catch (const std::bad_alloc&) {
        point.outcome = PointOutcome::out_of_memory;
        point.reason = "memory was exhausted while it was prepared";
    } catch (const Error& error) {
        point.reason =
            error.what();  // storing it fails if the database is broken, which ends the sweep
    }
    return true;
}

// Compares the anchor's last time with its first.
void flag_drift(const StoredSweep& sweep, const StoredPoint& anchor) {
    const auto times = sweep.anchor_times();
    if (anchor.outcome != PointOutcome::ok || times.size() < 2) {
        return;
    }
    const double change = times.back() / times.front() - 1;
    if (std::abs(change) > anchor_drift) {
        sweep.flag_run(
            *anchor.run, "drift",
            fmt::format(
                "the anchor of the sweep took {:.1f} % {} than at first: the machine has changed",
                100 * std::abs(change), change > 0 ? "longer" : "less"));
    }
}

}  // namespace

StoredPoint planned_point(const SweepSpec& spec, std::int64_t index, std::int64_t repeat) {
    const GridPoint point = point_of(spec, index);
    const Settings& settings = spec.settings[point.settings];
    return {.position = index,
            .repeat = repeat,
            .network = point.network,
            .batch = point.batch,
            .mode = text_of(settings, "mode"),
            .dtype = text_of(settings, "dtype"),
            .threads = settings.threads(),
            .backend = job_of(spec, point).backend};
}

MeasuredPart part_of(const Shard& shard, std::int64_t points) {
    MeasuredPart part;
    for (std::int64_t place = shard.index - 1; place < points; place += shard.count) {
        part.places.push_back(place);
    }
    return part;
}

ExitCode measure_sweep(const SweepSpec& spec, const MeasuredPart& part, Database& database,
                       const MeasuredSweepHooks& hooks) {
    const std::int64_t count = count_points(spec);
    const StoredSweep sweep = StoredSweep::open(database, spec.name, identity_of(spec), count);
    const std::vector<bool> finished = sweep.finished();
    const ShuffledOrder order(count, spec.seed);
    const auto settle = [&](StoredPoint point) {
        if (!sweep.claim(point)) {
            return true;
        }
        if (hooks.begins) {
            hooks.begins(point);
        }
        if (!settle_point(spec, database, hooks.campaign, point)) {
            return false;
        }
        sweep.finish(point);
        if (point.repeat > 0) {
            flag_drift(sweep, point);
        }
        if (hooks.ends) {
            hooks.ends(point);
        }
        return !hooks.campaign.observer.is_stopped();
    };
    std::int64_t own = part.before;
    for (const std::int64_t place : part.places) {
        const bool has_anchor = spec.anchor_every > 0 && own++ % spec.anchor_every == 0;
        if (finished[static_cast<std::size_t>(order.at(place))]) {
            continue;
        }
        if ((has_anchor && !settle(planned_point(spec, anchor_of(spec), place + 1))) ||
            !settle(planned_point(spec, order.at(place)))) {
            return ExitCode::interrupted;
        }
    }
    return ExitCode::done;
}

}  // namespace strata
