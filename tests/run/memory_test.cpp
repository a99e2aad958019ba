// SPDX-License-Identifier: MIT
#include "run/memory.h"

#include "base/error.h"
#include "base/unit_text.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Job job_at(std::int64_t batch) {
    Job job;
    job.request = {.network = "fc:layers=1,nodes=64", .batch = batch, .dims = {}, .variables = {}};
    return job;
}

Bytes needed_by(const Job& job) {
    return planned(job).plan->footprint.peak;
}

const BackendInfo host = {"reference", "1", ""};

TEST(JobMemory, AJobMayNotExceedItsMemoryLimit) {
    Job job = planned(job_at(4));
    job.memory = job.plan->footprint.peak;
    EXPECT_NO_THROW(require_memory(job, host));
    job.memory = job.plan->footprint.peak - Bytes{1};
    EXPECT_NE(error_of([&] { require_memory(job, host); }).find("--memory gives"),
              std::string::npos);
}

TEST(JobMemory, ADeviceHasItsOwnMemory) {
    BackendInfo device = host;
    const Job job = planned(job_at(4));
    device.device_memory = job.plan->footprint.peak - Bytes{1};
    EXPECT_NE(error_of([&] { require_memory(job, device); }).find("the device has"),
              std::string::npos);
}

TEST(JobMemory, MemoryHeldByOthersOnADeviceIsNotFree) {
    BackendInfo device = host;
    device.device_memory = needed_by(job_at(9));
    device.free_device_memory = needed_by(job_at(3));
    const Job job = planned(job_at(4));
    const std::string sentence = error_of([&] { require_memory(job, device); });
    EXPECT_NE(sentence.find("the device has free " + byte_size_text(*device.free_device_memory) +
                            " of " + byte_size_text(*device.device_memory)),
              std::string::npos)
        << sentence;
    EXPECT_NO_THROW(require_memory(planned(job_at(3)), device));
    const auto capacity = capacity_of(job_at(1), device);
    EXPECT_EQ(capacity->source, MemorySource::device);
    EXPECT_EQ(capacity->largest.batch, 3);
}

TEST(JobMemory, TheLargestBatchIsTheLastThatFits) {
    Job job = job_at(1);
    job.memory = needed_by(job_at(7));
    const auto capacity = capacity_of(job, host);
    ASSERT_TRUE(capacity);
    EXPECT_EQ(capacity->largest.batch, 7);
    EXPECT_EQ(capacity->source, MemorySource::given);
}

TEST(JobMemory, OtherwiseTheMachinesFreeMemoryCounts) {
    BackendInfo device = host;
    EXPECT_EQ(capacity_of(job_at(1), host)->source, MemorySource::free);
    device.device_memory = needed_by(job_at(3));
    const auto capacity = capacity_of(job_at(1), device);
    EXPECT_EQ(capacity->source, MemorySource::device);
    EXPECT_EQ(capacity->largest.batch, 3);
}

}  // namespace
}  // namespace strata
