// SPDX-License-Identifier: MIT
#include "sweep/predicted.h"

#include "base/unit_text.h"
#include "run/execute.h"
#include "run/modelled.h"
#include "store/run_writer.h"
#include "store/sweeps.h"
#include "sweep/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace strata {

namespace {

constexpr std::int64_t most_per_chunk = 16;
constexpr std::size_t rows_per_transaction = 50'000;
constexpr std::int64_t points_per_model = 10'000;

using Clock = std::chrono::steady_clock;
// What is not stored yet is lost with the process.
constexpr auto longest_transaction = std::chrono::seconds(1);
constexpr auto longest_wait_in_transaction = std::chrono::milliseconds(20);

// A point with its outcome, and its run where it has one.
struct PredictedPoint {
    StoredPoint point;
    std::optional<Run> run = {};
};
using PredictedChunk = std::vector<PredictedPoint>;

// What predictors put in and the writer takes out; who is too fast waits.
class ChunkQueue {
public:
    ChunkQueue(std::size_t capacity, int producers) : capacity_(capacity), producers_(producers) {}

    // False where nobody takes anything any more.
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

    // A predictor has ended, by a bug's exception if there is one.
    void leave(std::exception_ptr trouble) {
        const std::lock_guard lock(mutex_);
        --producers_;
        trouble_ = trouble ? trouble : trouble_;
        has_chunk_.notify_one();
    }

    // Nothing after the last, or where none comes in time.
    std::optional<PredictedChunk> take(Clock::time_point deadline = Clock::time_point::max()) {
        std::unique_lock lock(mutex_);
        const auto is_ready = [&] { return !chunks_.empty() || producers_ == 0; };
        if (deadline == Clock::time_point::max()) {
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

// What one thread predicts with. The graph of the last point serves those that follow on other
// devices.
class SweepPredictor {
public:
    SweepPredictor(const SweepSpec& spec, KeptSteps steps) : spec_(spec), steps_(steps) {
        renew_models();
    }

    PredictedPoint predicted(std::int64_t index) {
        if (++predicted_ % points_per_model == 0) {
            renew_models();
        }
        PredictedPoint found{.point = planned_point(spec_, index)};
        try {
            predict(point_of(spec_, index), found);
        } catch (const Error& error) {
            found.point.outcome = PointOutcome::failed;
            found.point.reason = error.what();
            found.run.reset();
        }
        return found;
    }

private:
    // A model remembers every product that it has planned.
    void renew_models() {
        for (const std::string& name : spec_.devices) {
            models_.insert_or_assign(name, model_of(find_description(name)));
        }
    }

    void predict(const GridPoint& place, PredictedPoint& found) {
        Job job = job_of(spec_, place);
        if (!spec_.names_algorithm) {
            job.execution.engine.algorithm = ConvolutionAlgorithm::automatic;
        }
        const std::int64_t shared = place.index / static_cast<std::int64_t>(spec_.devices.size());
        if (shared != graph_index_) {
            graph_ = graph_for(job);
            graph_index_ = shared;
        }
        const DeviceModel& model = *models_.at(place.target);
        set_device(job, model.device());
        const NetworkPrediction prediction = predict_network(graph_, job.execution, model);
        const ModelledMemory memory = memory_of(graph_, job.execution, prediction, model.device());
        if (!memory.fits()) {
            found.point.outcome = PointOutcome::out_of_memory;
            found.point.reason =
                fmt::format("it needs {}, and {} has {}", byte_size_text(memory.needed()),
                            place.target, byte_size_text(*memory.of_device));
            return;
        }
        if (prediction.refused() > 0) {
            found.point.outcome = PointOutcome::failed;
            found.point.reason = refusal_in(prediction);
            return;
        }
        found.run =
            modelled_run(job, graph_, model, prediction, memory,
                         steps_ == KeptSteps::none ? ModelledDetail::time : ModelledDetail::steps);
        found.point.outcome = PointOutcome::ok;
    }

    std::string refusal_in(const NetworkPrediction& prediction) const {
        for (const PredictedStep& step : prediction.steps) {
            if (!step.refusal.empty()) {
                return fmt::format("{} of {} steps have no prediction ({} {}: {})",
                                   prediction.refused(), prediction.steps.size(),
                                   graph_.layers[step.layer].name, name_of(step.pass),
                                   step.refusal);
            }
        }
        return "";
    }

    const SweepSpec& spec_;
    KeptSteps steps_;
    std::map<std::string, std::unique_ptr<DeviceModel>> models_;
    Graph graph_;
    std::int64_t graph_index_ = -1;
    std::int64_t predicted_ = 0;
};

// The points that are still to be predicted, chunk by chunk.
class OpenPoints {
public:
    OpenPoints(std::vector<bool> finished, const Shard& shard, const std::atomic<bool>* stop)
        : finished_(std::move(finished)),
          shard_(shard),
          // (The same for every shard of a grid: a shard has whole chunks.)
          size_(std::clamp(static_cast<std::int64_t>(finished_.size()) / (8 * shard.count),
                           std::int64_t{1}, most_per_chunk)),
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
        SweepPredictor predictor(spec, steps);
        for (auto points = next(); !points.empty(); points = next()) {
            PredictedChunk chunk;
            for (const std::int64_t index : points) {
                chunk.push_back(predictor.predicted(index));
            }
            if (!queue.put(std::move(chunk))) {
                break;
            }
        }
    } catch (...) {
        trouble = std::current_exception();
    }
    queue.leave(trouble);
}

// Stores chunks until there are no more, many in one transaction.
void store_all(const Database& database, const StoredSweep& sweep, ChunkQueue& queue,
               const PredictedSweepOptions& options) {
    const UncheckedReferences unchecked(database);
    std::int64_t done = 0;
    for (auto chunk = queue.take(); chunk; chunk = queue.take()) {
        RunWriter writer(database);
        Transaction transaction(database);
        const auto end = Clock::now() + longest_transaction;
        std::vector<std::int64_t> settled;
        std::size_t rows = 0;
        while (chunk) {
            for (PredictedPoint& predicted : *chunk) {
                settled.push_back(predicted.point.position);
                if (predicted.run) {
                    writer.add(*predicted.run);
                    predicted.point.run = predicted.run->id;
                    rows += predicted.run->steps.size();
                }
                sweep.finish(predicted.point);
                ++rows;
            }
            done += static_cast<std::int64_t>(chunk->size());
            if (options.progress) {
                options.progress(done);
            }
            const auto now = Clock::now();
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
        const SweepPredictor early(spec, options.steps);
    }  // a device that is unknown, before threads
    OpenPoints open(sweep.finished(), shard, options.stop);
    const auto next = [&] { return options.work != nullptr ? options.work->take() : open.next(); };
    ChunkQueue queue(2 * static_cast<std::size_t>(options.threads), options.threads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < options.threads; ++i) {
        threads.emplace_back([&] { predict_all(spec, options.steps, next, queue); });
    }
    try {
        store_all(database, sweep, queue, options);
    } catch (...) {
        queue.close();
        if (options.work != nullptr) {
            options.work->end();
        }
        throw;
    }
    return options.stop != nullptr && *options.stop ? ExitCode::interrupted : ExitCode::done;
}

Seconds prediction_time(const SweepSpec& spec, std::int64_t sample) {
    SweepPredictor predictor(spec, KeptSteps::all);
    const ShuffledOrder order(count_points(spec), spec.seed);
    const std::int64_t count = std::min(sample, order.count());
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < count; ++i) {
        predictor.predicted(order.at(i));
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return Seconds{time.count() / static_cast<double>(count)};
}

}  // namespace strata
