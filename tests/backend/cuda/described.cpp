// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/emulated.h"

namespace strata::testing {

cuda::DeviceProperties described_h200() {
    return {.name = "NVIDIA H200",
            .compute_capability = 90,
            .multiprocessors = 132,
            .warp_size = 32,
            .max_grid = {2147483647, 65535, 65535},
            .max_block = {1024, 1024, 64},
            .max_threads_per_block = 1024,
            .max_threads_per_multiprocessor = 2048,
            .max_blocks_per_multiprocessor = 32,
            .shared_memory_per_block = 49152,
            .shared_memory_per_block_optin = 232448,
            .reserved_shared_memory_per_block = 1024,
            .registers_per_block = 65536,
            .registers_per_multiprocessor = 65536,
            .l2_bytes = 62914560,
            .memory_bytes = 150754820096,
            .core_clock_khz = 1980000,
            .memory_clock_khz = 3201000,
            .driver_version = 13000,
            .device_id = 0,
            .pci_device_id = 0,
            .is_tcc_driver = false,
            .supports_cooperative_launch = true};
}

}  // namespace strata::testing
