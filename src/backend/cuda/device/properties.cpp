// SPDX-License-Identifier: MIT
#include "backend/cuda/device/properties.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace strata::cuda {

namespace {

using Json = nlohmann::ordered_json;

// One list for reading and writing: `field(key, member)` is called for each.
template <class Properties, class Field>
void each_field(Properties& p, const Field& field) {
    field("deviceName", p.name);
    field("multiProcessorCount", p.multiprocessors);
    field("warpSize", p.warp_size);
    field("maxGridSize", p.max_grid);
    field("maxBlockSize", p.max_block);
    field("maxThreadsPerBlock", p.max_threads_per_block);
    field("maxThreadsPerSM", p.max_threads_per_multiprocessor);
    field("maxCtasPerSM", p.max_blocks_per_multiprocessor);
    field("maxSharedMemoryPerBlock", p.shared_memory_per_block);
    field("maxSharedMemoryPerBlockOptin", p.shared_memory_per_block_optin);
    field("reservedSharedMemoryPerBlock", p.reserved_shared_memory_per_block);
    field("regsPerBlock", p.registers_per_block);
    field("maxRegistersPerSM", p.registers_per_multiprocessor);
    field("l2CacheSize", p.l2_bytes);
    field("totalGlobalMem", p.memory_bytes);
    field("smClockRateKHz", p.core_clock_khz);
    field("memClockRateKHz", p.memory_clock_khz);
    field("driverVer", p.driver_version);
    field("cudaDeviceId", p.device_id);
    field("pciDeviceId", p.pci_device_id);
}

// cuDNN writes sm_90 as 900, and booleans as 0 and 1.
constexpr int capability_factor = 10;

std::string contents_of(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw Error(fmt::format("{}: cannot be read", printable(path)));
    }
    return text.str();
}

void require_sane(const DeviceProperties& p) {
    if (p.warp_size != 32 || p.multiprocessors < 1 || p.max_threads_per_block < 1 ||
        p.memory_bytes < 1 || p.max_grid[0] < 1 || p.max_block[0] < 1) {
        throw Error("the description is not that of a GPU: an extent is zero or negative");
    }
}

}  // namespace

DeviceProperties parse_device_properties(std::string_view text) {
    DeviceProperties properties;
    try {
        const Json json = Json::parse(text);
        each_field(properties, [&](const char* key, auto& member) { json.at(key).get_to(member); });
        properties.compute_capability = json.at("deviceVer").get<int>() / capability_factor;
        properties.is_tcc_driver = json.at("isTccDriver").get<int>() != 0;
        properties.supports_cooperative_launch = json.at("supportCoopLaunch").get<int>() != 0;
    } catch (const Json::exception& error) {
        throw Error(fmt::format("it is not a description of a GPU as cuDNN writes it: {}",
                                printable(error.what())));
    }
    require_sane(properties);
    properties.description = text;
    return properties;
}

DeviceProperties read_device_properties(const std::string& path) {
    try {
        return parse_device_properties(contents_of(path));
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", printable(path), error.what()));
    }
}

std::string to_json(const DeviceProperties& properties) {
    if (!properties.description.empty()) {
        return properties.description;
    }
    Json json;
    each_field(properties, [&](const char* key, const auto& member) { json[key] = member; });
    json["deviceVer"] = properties.compute_capability * capability_factor;
    json["isTccDriver"] = properties.is_tcc_driver ? 1 : 0;
    json["supportCoopLaunch"] = properties.supports_cooperative_launch ? 1 : 0;
    return json.dump();
}

}  // namespace strata::cuda
