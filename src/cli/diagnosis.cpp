// SPDX-License-Identifier: MIT
#include "cli/diagnosis.h"

#include "base/error.h"
#include "cli/backends.h"
#include "device/detect.h"
#include "device/device.h"
#include "measure/environment.h"
#include "measure/perf_event.h"
#include "store/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace strata {

namespace {

Finding processor() {
    const Host host = detect_host();
    return {"processor", Condition::ok,
            fmt::format("{}, {} processors for this process", host.model, host.processors.size()),
            ""};
}

// Which of a machine's usual disturbances are on, by what its environment says.
Finding frequency() {
    const auto environment = describe_environment();
    const auto governor = environment.find("cpu.governor");
    if (governor == environment.end()) {
        return {
            "clock", Condition::limited,
            "the kernel does not tell the clock's governor (a virtual machine, mostly): drift and "
            "neighbours are seen by the calibration loop only",
            ""};
    }
    const bool steady = governor->second == "performance";
    return {"clock", steady ? Condition::ok : Condition::limited,
            fmt::format("governor {}", governor->second),
            steady ? "" : "cpupower frequency-set -g performance"};
}

Finding quota() {
    const auto environment = describe_environment();
    const auto limit = environment.find("cgroup.cpu_quota");
    if (limit == environment.end()) {
        return {"processor quota", Condition::ok, "none", ""};
    }
    return {"processor quota", Condition::limited,
            fmt::format("{}: a run is stopped when it uses more", limit->second),
            "run outside the container, or with a quota of whole processors"};
}

Finding counters() {
    const std::string refusal = probe_counters().front();
    if (refusal.empty()) {
        return {"hardware counters", Condition::ok, "instructions, cycles and cache misses", ""};
    }
    return {"hardware counters", Condition::absent, "times and analytic work only: " + refusal,
            "see the reason; a virtual machine needs a host that passes its counters on"};
}

Finding ceilings() {
    if (const auto device = own_device()) {
        return {"ceilings", Condition::ok,
                fmt::format("measured for {} threads ({})", device->threads,
                            own_device_file().string()),
                ""};
    }
    return {"ceilings", Condition::absent,
            "no share of the peak and no verdict on what bounds a step", "strata calibrate"};
}

Finding backend(const BackendEntry& entry) {
    const std::string subject = fmt::format("backend {}", entry.name);
    try {
        const BackendInfo info = entry.make()->info();
        return {subject, Condition::ok, fmt::format("{} {}", info.version, info.details), ""};
    } catch (const Error& error) {
        return {subject, Condition::absent, error.what(), "see the reason"};
    }
}

Finding runs(const std::string& database) {
    const auto path = database_path(database);
    if (!std::filesystem::exists(path)) {
        return {"database", Condition::ok,
                fmt::format("{} is made by the first run", path.string()), ""};
    }
    try {
        Database::open_existing(path);
        return {"database", Condition::ok, path.string(), ""};
    } catch (const Error& error) {
        return {"database", Condition::absent, error.what(), "name another with --database"};
    }
}

}  // namespace

std::vector<Finding> examine_machine(const std::string& database) {
    std::vector<Finding> findings = {processor(), frequency(), quota(), counters(), ceilings()};
    for (const BackendEntry& entry : backends()) {
        findings.push_back(backend(entry));
    }
    findings.push_back(runs(database));
    return findings;
}

}  // namespace strata
