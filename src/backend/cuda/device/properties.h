// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

struct cudnnContext;

namespace strata::cuda {

// The properties that determine how work is laid out on a GPU, read from a device or from a
// description of one, so that everything up to the launch can be prepared without it. The fields
// and their JSON are those with which cuDNN 9.8 and later describe a device
// (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION).
struct DeviceProperties {
    std::string name;
    int compute_capability = 0;  // times ten: 90 for sm_90
    int multiprocessors = 0;
    int warp_size = 32;
    std::array<std::int64_t, 3> max_grid = {};
    std::array<std::int64_t, 3> max_block = {};
    int max_threads_per_block = 0;
    int max_threads_per_multiprocessor = 0;
    int max_blocks_per_multiprocessor = 0;
    std::int64_t shared_memory_per_block = 0;  // bytes, the default limit
    std::int64_t shared_memory_per_block_optin = 0;
    std::int64_t reserved_shared_memory_per_block = 0;
    int registers_per_block = 0;
    int registers_per_multiprocessor = 0;
    std::int64_t l2_bytes = 0;
    std::int64_t memory_bytes = 0;
    int core_clock_khz = 0;
    int memory_clock_khz = 0;
    int driver_version = 0;  // 13000 for 13.0
    int device_id = 0;
    int pci_device_id = 0;
    bool is_tcc_driver = false;
    bool supports_cooperative_launch = false;
    // The text that they were read from; it may contain keys that only cuDNN knows. Whoever changes
    // a field must clear it.
    std::string description = {};
    // cuDNN's handle of the device, owned by its machine; null if the device is only described.
    cudnnContext* cudnn = nullptr;
};

// Throws Error, one sentence, if the text is not a device's description or lacks a key.
DeviceProperties parse_device_properties(std::string_view json);
// Reads the description from a file; throws Error that names it.
DeviceProperties read_device_properties(const std::string& path);

// In the form that cuDNN accepts: the text that they were read from, unchanged, if there is one.
std::string to_json(const DeviceProperties& properties);

}  // namespace strata::cuda
