// SPDX-License-Identifier: MIT
#include "backend/peer/executable.h"

#include "base/file.h"
#include "base/text.h"
#include "measure/memory_use.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ctime>
#include <fstream>
#include <utility>

namespace strata {

namespace {

using Json = nlohmann::json;

// Threads that wait for work spin for some milliseconds before they sleep (libgomp, Eigen, TBB).
// They are at rest once the process uses hardly any processor time for a while.
constexpr Seconds rest_interval{1e-3};
constexpr double resting_share = 0.1;
constexpr int max_rest_intervals = 200;

template <class Used>
void wait_for_rest(Used&& used) {
    Seconds before = used();
    for (int i = 0; i < max_rest_intervals; ++i) {
        const timespec interval = {0, static_cast<long>(rest_interval.value * 1e9)};
        ::nanosleep(&interval, nullptr);
        const Seconds now = used();
        if (now - before < resting_share * rest_interval) {
            return;
        }
        before = now;
    }
}

Seconds own_processor_time() {
    timespec time = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return Seconds{static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

// The time, if a clock can have measured it.
std::optional<Seconds> seconds_in(const Json& json) {
    const double value = json.is_number() ? json.get<double>() : -1;
    return std::isfinite(value) && value >= 0 ? std::optional(Seconds{value}) : std::nullopt;
}

}  // namespace

PeerExecutable::PeerExecutable(const Graph& graph, const Execution& execution, PeerOf peer,
                               const Json& answer)
    : graph_(graph),
      schedule_(schedule_of(graph, execution)),
      timeout_(execution.scheduling.device_timeout),
      process_(std::move(peer.process)),
      has_device_(peer.has_device) {
    const Json steps = answer.value("steps", Json());
    if (!steps.is_array() || steps.size() != schedule_.tasks.size()) {
        process_->lose(fmt::format("prepared {} steps, but the schedule has {}",
                                   steps.is_array() ? steps.size() : 0, schedule_.tasks.size()));
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        steps_.push_back(step_of(schedule_.tasks[i], steps[i]));
    }
    resident_before_ = process_->resident();
}

Step PeerExecutable::step_of(const Task& task, const Json& json) const {
    Step step = {.layer = task.layer,
                 .pass = task.pass,
                 .implementation = text_in(json, "implementation"),
                 .algorithm = text_in(json, "algorithm"),
                 .layout = text_in(json, "layout")};
    step.implementation_kind = kind_of_implementation(step.implementation);
    const std::string state = text_in(json, "state");
    if (state == "refused") {
        step.state = Refused{text_in(json, "reason")};
    } else if (state == "included") {
        const Json in = json.value("in", Json());
        if (!in.is_number_unsigned() || in.get<std::size_t>() >= schedule_.tasks.size()) {
            process_->lose(fmt::format("says that {} is included in a step that does not exist",
                                       printable(graph_.layers[task.layer].name)));
        }
        step.state = IncludedIn{schedule_.tasks[in.get<std::size_t>()]};
    } else if (state != "runs") {
        process_->lose(
            fmt::format("gives {} an unknown state", printable(graph_.layers[task.layer].name)));
    }
    return step;
}

// Throws StepFailure if the peer names the step that failed, else DeviceFailure.
Json PeerExecutable::request(Json request) const {
    Json answer = process_->exchange(request, timeout_);
    if (!answer.contains("error")) {
        return answer;
    }
    const std::string sentence = text_in(answer, "error");
    const Json step = answer.value("step", Json());
    if (step.is_number_unsigned() && step.get<std::size_t>() < steps_.size()) {
        throw StepFailure(schedule_.tasks[step.get<std::size_t>()],
                          fmt::format("{}: {}", process_->name(), sentence));
    }
    process_->lose(fmt::format("failed: {}", sentence));
}

Seconds PeerExecutable::run() {
    let_this_process_rest();
    const auto time = seconds_in(request({{"request", "run"}}).value("seconds", Json()));
    return time ? *time : (process_->lose("gave no time that a clock can measure"), Seconds{});
}

Seconds PeerExecutable::run_timed(std::span<Seconds> times) {
    let_this_process_rest();
    const Json answer = request({{"request", "run_timed"}});
    const Json given = answer.value("times", Json());
    if (!given.is_array() || given.size() != times.size()) {
        process_->lose(fmt::format("timed {} steps, but there are {}",
                                   given.is_array() ? given.size() : 0, times.size()));
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto time = seconds_in(given[i]);
        if (!time) {
            process_->lose("gave a step no time that a clock can measure");
        }
        times[i] = *time;
    }
    const auto total = seconds_in(answer.value("seconds", Json()));
    return total ? *total : (process_->lose("gave no time that a clock can measure"), Seconds{});
}

void PeerExecutable::run_step(std::size_t step) {
    if (!steps_[step].runs()) {
        return;
    }
    try {
        request({{"request", "run_step"}, {"step", step}});
    } catch (const StepFailure&) {
        throw;
    } catch (const DeviceFailure& failure) {
        throw StepFailure(schedule_.tasks[step], failure.what());
    }
}

std::size_t PeerExecutable::elements(TensorId tensor) const {
    return static_cast<std::size_t>(graph_.tensors[tensor].tensor.elements());
}

Json PeerExecutable::moved(std::string_view verb, TensorId tensor, Content content) const {
    return {{"request", verb},
            {"tensor", tensor},
            {"content", content == Content::value ? "value" : "gradient"},
            {"file", (process_->folder() / "tensor.f32").string()}};
}

HostValues PeerExecutable::read(TensorId tensor, Content content) const {
    const std::filesystem::path path = process_->folder() / "tensor.f32";
    std::filesystem::remove(path);
    request(moved("read", tensor, content));
    HostValues values(elements(tensor));
    const auto size = static_cast<std::streamsize>(values.size() * sizeof(float));
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(values.data()), size);
    if (file.gcount() != size || file.peek() != std::ifstream::traits_type::eof()) {
        process_->lose(fmt::format("gave {} another number of elements than {}",
                                   printable(graph_.tensors[tensor].name), values.size()));
    }
    return values;
}

void PeerExecutable::write(TensorId tensor, Content content, std::span<const float> values) {
    check(values.size() == elements(tensor), "a tensor is written whole");
    if (!write_in_place(process_->folder() / "tensor.f32",
                        {reinterpret_cast<const char*>(values.data()), values.size_bytes()})) {
        throw Error(
            fmt::format("{}: values cannot be written; free some space, or name another "
                        "place with TMPDIR",
                        process_->folder().string()));
    }
    request(moved("write", tensor, content));
}

std::optional<Bytes> PeerExecutable::device_memory() const {
    if (has_device_) {
        const Json bytes = request({{"request", "memory"}}).value("bytes", Json());
        return bytes.is_number_unsigned() ? std::optional(Bytes{bytes.get<double>()})
                                          : std::nullopt;
    }
    return memory_taken({resident_before_, {}}, {{}, process_->peak()});
}

// The cost of calling the framework for a step; a peer without separate steps has none.
std::optional<Seconds> PeerExecutable::time_empty_step() {
    return seconds_in(request({{"request", "run_empty_step"}}).value("seconds", Json()));
}

void PeerExecutable::settle() {
    wait_for_rest([this] { return process_->processor_time(); });
    own_threads_may_spin_ = true;
}

// settle() comes first, but the calibration loop after it has woken this process's threads.
void PeerExecutable::let_this_process_rest() {
    if (std::exchange(own_threads_may_spin_, false)) {
        wait_for_rest(own_processor_time);
    }
}

}  // namespace strata
