// SPDX-License-Identifier: MIT
#include "run/device_sampler.h"

#include "device/device.h"
#include "run/execute.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace strata {
namespace {

using testing::FakeClock;

// A device that is throttled from its third answer on.
class ScriptedWatch final : public DeviceWatch {
public:
    std::map<std::string, std::string> describe() override { return {{"gpu.name", "A device"}}; }
    DeviceState state() override {
        ++asked;
        DeviceState state;
        state.core_clock = Frequency{asked < 3 ? 1980e6 : 1200e6};
        state.limits = std::vector<ClockLimit>();
        if (asked >= 3) {
            state.limits->push_back(ClockLimit::power_cap);
        }
        return state;
    }
    int asked = 0;
};

// A device whose executables report the memory they hold on it.
class HoldingExecutable final : public Executable {
public:
    explicit HoldingExecutable(std::unique_ptr<Executable> real) : real_(std::move(real)) {}
    std::span<const Step> steps() const override { return real_->steps(); }
    Seconds run() override { return real_->run(); }
    Seconds run_timed(std::span<Seconds> times) override { return real_->run_timed(times); }
    void run_step(std::size_t step) override { real_->run_step(step); }
    HostValues read(TensorId tensor, Content content) const override {
        return real_->read(tensor, content);
    }
    void write(TensorId tensor, Content content, std::span<const float> values) override {
        real_->write(tensor, content, values);
    }
    std::optional<Bytes> device_memory() const override { return Bytes{12345}; }

private:
    std::unique_ptr<Executable> real_;
};

// The reference with its own device, like a GPU's backend.
class WatchedBackend final : public Backend {
public:
    BackendInfo info() const override {
        return {"watched", "1", "the reference", Bytes{1e9}, "A device"};
    }
    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        return std::make_unique<HoldingExecutable>(
            make_reference_backend()->prepare(graph, execution));
    }
    DeviceWatch* watch() override { return &watch_; }

private:
    ScriptedWatch watch_;
};

std::vector<std::string> kinds(const strata::Run& run) {
    std::vector<std::string> all;
    for (const Flag& flag : run.flags) {
        all.push_back(kind_text(flag));
    }
    return all;
}

TEST(DeviceSampler, QueriesAFewTimesASecondHoweverOftenItIsCalled) {
    ScriptedWatch watch;
    FakeClock clock;
    DeviceSampler sampler(&watch, clock);
    for (int i = 0; i < 1000; ++i) {
        sampler.ask_if_due();
        clock.advance(Seconds{0.01});
    }
    EXPECT_GE(watch.asked, 15);
    EXPECT_LE(watch.asked, 30);
}

TEST(DeviceSampler, LeavesRangesAndDoubtsInTheRun) {
    ScriptedWatch watch;
    FakeClock clock;
    DeviceSampler sampler(&watch, clock);
    for (int i = 0; i < 4; ++i) {
        sampler.ask_if_due();
        clock.advance(Seconds{1});
    }
    strata::Run run;
    sampler.add_to(run);
    EXPECT_EQ(run.provenance.at("gpu.sampled.core_clock"), "1200 to 1980 MHz");
    EXPECT_EQ(kinds(run), (std::vector<std::string>{"throttled", "clock-drift"}));
}

TEST(DeviceSampler, QueriesOnceForAShortRunAndNeverWithoutAWatch) {
    ScriptedWatch watch;
    FakeClock clock;
    strata::Run run;
    DeviceSampler(&watch, clock).add_to(run);
    EXPECT_EQ(run.provenance.at("gpu.sampled.states"), "1");
    strata::Run unwatched;
    DeviceSampler nobody(nullptr, clock);
    nobody.ask_if_due();
    nobody.add_to(unwatched);
    EXPECT_TRUE(unwatched.provenance.empty());
}

strata::Run watched_run() {
    Job job;
    job.backend = "watched";
    job.request.network = "activation(2x3x8x8)";
    job.policy = {.min_time = Seconds{0}, .min_samples = 1, .precision = 10};
    WatchedBackend backend;
    return execute(planned(job), backend, {});
}

// A device file whose ceilings are all equal.
Device device_called(const std::string& model) {
    return {.name = "d",
            .model = model,
            .threads = 1,
            .compute = {{.dtype = "f32", .peak = {{1e12}, "test"}}},
            .memory = {{.name = "DRAM", .capacity = {}, .bandwidth = {{1e12}, "test"}}}};
}

// Each test runs in its own process, so it may change the environment.
TEST(DeviceSampler, ARunHasOnlyTheCeilingsOfItsOwnDevice) {
    const TemporaryDirectory folder;
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    ::setenv("STRATA_DEVICE", (folder.path() / "own.toml").c_str(), 1);
    write_device(own_device_file(1), device_called("these processors"));
    EXPECT_FALSE(watched_run().device.has_value());
    write_device(device_file_of("A device"), device_called("A device"));
    const auto judged_by = watched_run().device;
    ASSERT_TRUE(judged_by.has_value());
    EXPECT_EQ(judged_by->model, "A device");
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("STRATA_DEVICE");
}

TEST(DeviceSampler, ARunOnAWatchedDeviceRecordsItsState) {
    const strata::Run run = watched_run();
    EXPECT_EQ(run.provenance.at("gpu.name"), "A device");
    EXPECT_EQ(run.measured_memory, Bytes{12345}) << "not this process's";
    EXPECT_TRUE(run.provenance.contains("gpu.sampled.core_clock"));
}

}  // namespace
}  // namespace strata
