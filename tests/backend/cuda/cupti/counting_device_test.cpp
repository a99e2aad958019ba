// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/counter_config.h"

#include "backend/cuda/cupti/trouble.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace strata::cuda {
namespace {

TEST(CountingDevice, ReportsAMissingDriver) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
        GTEST_SKIP() << "there is a GPU here";
    }
    try {
        open_counting_device();
        ADD_FAILURE() << "there was something to count on";
    } catch (const ProfilerError& error) {
        EXPECT_EQ(error.trouble(), ProfilerTrouble::no_driver) << error.what();
    }
}

}  // namespace
}  // namespace strata::cuda
