// SPDX-License-Identifier: MIT
#include "sweep/predicted.h"

#include "store/run_writer.h"
#include "store/sweeps.h"
#include "sweep/point_predictor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace strata {

namespace {

constexpr std::int64_t max_per_chunk = 16;
constexpr std::size_t rows_per_transaction = 50'000;

using MonotonicClock = std::chrono::steady_clock;
// Limits the work lost with the process: whatever is not stored yet.
constexpr auto longest_transaction = std::chrono::seconds(1);
constexpr auto longest_wait_in_transaction = std::chrono::milliseconds(20);

using PredictedChunk = std::vector<PredictedPoint>;

// A queue from the predictors to the writer; whichever is too fast waits.
class ChunkQueue {
public:
    ChunkQueue(std::size_t capacity, int producers) : capacity_(capacity), producers_(producers) {}

    // False if the reader has gone.
    bool put(PredictedChunk chunk) {
        std::unique_lock lock(mutex_);
        has_room_.wait(lock, [&] { return chunks_.size() < capacity_ || is_closed_; });
        if (is_closed_) {
            return false;
        }
        chunks_.push_back(std::move(chunk));
        has_chunk_.notify_one();
        return true;
    }

    // A predictor has ended; `trouble` is the exception of a bug, if any.
    void leave(std::exception_ptr trouble) {
        const std::lock_guard lock(mutex_);
        --producers_;
        trouble_ = trouble ? trouble : trouble_;
        has_chunk_.notify_one();
    }

    // Empty after the last, or if none comes in time.
    std::optional<PredictedChunk> take(
        MonotonicClock::time_point deadline = MonotonicClock::time_point::max()) {
        std::unique_lock lock(mutex_);
        const auto is_ready = [&] { return !chunks_.empty() || producers_ == 0; };
        if (deadline == MonotonicClock::time_point::max()) {
            has_chunk_.wait(lock, is_ready);
        } else {
            has_chunk_.wait_until(lock, deadline, is_ready);
        }
        if (trouble_) {
            std::rethrow_exception(trouble_);
        }
        if (chunks_.empty()) {
            return std::nullopt;
        }
        PredictedChunk chunk = std::move(chunks_.front());
        chunks_.pop_front();
        has_room_.notify_one();
        return chunk;
    }

    void close() {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        has_room_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable has_room_;
    std::condition_variable has_chunk_;
    std::deque<PredictedChunk> chunks_;
    std::size_t capacity_;
    int producers_;
    bool is_closed_ = false;
    std::exception_ptr trouble_;
};

// The points that are still to be predicted, chunk by chunk.
class OpenPoints {
public:
    OpenPoints(std::vector<bool> finished, const Shard& shard, const std::atomic<bool>* stop)
        : finished_(std::move(finished)),
          shard_(shard),
          // The size is the same for every shard of a grid, because a shard has whole chunks.
          size_(std::clamp(static_cast<std::int64_t>(finished_.size()) / (8 * shard.count),
                           std::int64_t{1}, max_per_chunk)),
          stop_(stop) {}

    // Empty at the end.
    std::vector<std::int64_t> next() {
        std::vector<std::int64_t> points;
        const auto count = static_cast<std::int64_t>(finished_.size());
        while (points.empty() && (stop_ == nullptr || !*stop_)) {
            const std::int64_t chunk = chunk_++;
            if (chunk * size_ >= count) {
                break;
            }
            for (std::int64_t i = chunk * size_;
                 shard_.has(chunk) && i < std::min(count, (chunk + 1) * size_); ++i) {
                if (!finished_[static_cast<std::size_t>(i)]) {
                    points.push_back(i);
                }
            }
        }
        return points;
    }

private:
    const std::vector<bool> finished_;
    const Shard shard_;
    const std::int64_t size_;  // of a chunk, in points
    const std::atomic<bool>* stop_;
    std::atomic<std::int64_t> chunk_{0};
};

void predict_all(const SweepSpec& spec, KeptSteps steps,
                 const std::function<std::vector<std::int64_t>()>& next, ChunkQueue& queue) {
    std::exception_ptr trouble;
    try {
        PointPredictor predictor(spec, steps);
        bool is_wanted = true;
        for (auto points = next(); is_wanted && !points.empty(); points = next()) {
            // A portion may have hundreds of points, whose steps would take much memory at once.
            for (std::span<const std::int64_t> rest = points; is_wanted && !rest.empty();) {
                const auto size = std::min<std::size_t>(rest.size(), max_per_chunk);
                PredictedChunk chunk;
                for (const std::int64_t index : rest.first(size)) {
                    chunk.push_back(predictor.predicted(index));
                }
                rest = rest.subspan(size);
                is_wanted = queue.put(std::move(chunk));
            }
        }
    } catch (...) {
        trouble = std::current_exception();
    }
    queue.leave(trouble);
}

// Stores points within one transaction.
class PointWriter {
public:
    PointWriter(const Database& database, const StoredSweep& sweep, const SweepSpec& spec)
        : writer_(database),
          sweep_(sweep),
          spec_(spec),
          series_(spec.settings.size() * spec.devices.size()) {}

    // Returns the number of rows.
    std::size_t add(PredictedPoint& predicted) {
        StoredPoint& point = predicted.point;
        std::size_t rows = 1;
        if (predicted.run) {
            writer_.add(*predicted.run);
            point.run = predicted.run->id;
            rows += predicted.run->steps.size();
        } else if (predicted.whole) {
            const PredictedWhole& whole = *predicted.whole;
            point.run = writer_.add(series_of(point), {.network = point.network,
                                                       .batch = point.batch,
                                                       .time = whole.time,
                                                       .memory = whole.memory,
                                                       .work = whole.work});
        }
        sweep_.finish(point);
        return rows;
    }

private:
    // The part that is the same for all points with its settings and device.
    RunWriter::Series& series_of(const StoredPoint& point) {
        const GridPlace place = place_of(spec_, point.position);
        auto& series = series_[place.settings * spec_.devices.size() + place.target];
        if (!series) {
            const DeviceDescription device = find_description(spec_.devices[place.target]);
            series =
                writer_.series_of(modelled_prototype(predicted_job(spec_, place, device), device));
        }
        return *series;
    }

    RunWriter writer_;
    const StoredSweep& sweep_;
    const SweepSpec& spec_;
    std::vector<std::optional<RunWriter::Series>> series_;  // by settings and device
};

// Stores chunks until there are no more, many in one transaction.
void store_all(const Database& database, const StoredSweep& sweep, const SweepSpec& spec,
               ChunkQueue& queue, const PredictedSweepOptions& options) {
    const UncheckedReferences unchecked(database);
    std::int64_t done = 0;
    for (auto chunk = queue.take(); chunk; chunk = queue.take()) {
        PointWriter writer(database, sweep, spec);
        Transaction transaction(database);
        const auto end = MonotonicClock::now() + longest_transaction;
        std::vector<std::int64_t> settled;
        std::size_t rows = 0;
        while (chunk) {
            for (PredictedPoint& predicted : *chunk) {
                settled.push_back(predicted.point.position);
                rows += writer.add(predicted);
            }
            done += static_cast<std::int64_t>(chunk->size());
            if (options.progress) {
                options.progress(done);
            }
            const auto now = MonotonicClock::now();
            chunk = rows < rows_per_transaction && now < end
                        ? queue.take(std::min(end, now + longest_wait_in_transaction))
                        : std::nullopt;
        }
        transaction.commit();
        if (options.work != nullptr) {
            options.work->settle(settled);
        }
    }
}

}  // namespace

ExitCode predict_sweep(const SweepSpec& spec, const Shard& shard, const Database& database,
                       const PredictedSweepOptions& options) {
    const StoredSweep sweep =
        StoredSweep::open(database, spec.name, identity_of(spec), count_points(spec));
    {
        const PointPredictor early(spec, options.steps);
    }  // reports an unknown device before threads start
    OpenPoints open(sweep.finished(), shard, options.stop);
    const auto next = [&] { return options.work != nullptr ? options.work->take() : open.next(); };
    ChunkQueue queue(2 * static_cast<std::size_t>(options.threads), options.threads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < options.threads; ++i) {
        threads.emplace_back([&] { predict_all(spec, options.steps, next, queue); });
    }
    try {
        store_all(database, sweep, spec, queue, options);
    } catch (...) {
        queue.close();
        if (options.work != nullptr) {
            options.work->end();
        }
        throw;
    }
    return options.stop != nullptr && *options.stop ? ExitCode::interrupted : ExitCode::done;
}

Seconds prediction_time(const SweepSpec& spec, KeptSteps steps, std::int64_t sample) {
    PointPredictor predictor(spec, steps);
    const ShuffledOrder order(count_points(spec), spec.seed);
    const std::int64_t count = std::min(sample, order.count());
    const auto predict_all = [&] {
        for (std::int64_t i = 0; i < count; ++i) {
            predictor.predicted(order.at(i));
        }
    };
    predict_all();  // in the grid's order, neighbours share what was computed
    const auto begin = std::chrono::steady_clock::now();
    predict_all();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return Seconds{time.count() / static_cast<double>(count)};
}

}  // namespace strata
