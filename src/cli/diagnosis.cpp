// SPDX-License-Identifier: MIT
#include "cli/diagnosis.h"

#include "backend/device_watch.h"
#include "backend/library_offers.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/backends.h"
#include "device/detect.h"
#include "device/device.h"
#include "measure/environment.h"
#include "measure/perf_event.h"
#include "run/steps.h"
#include "store/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace strata {

namespace {

DoctorFinding processor() {
    const Host host = detect_host();
    return {"processor", Condition::ok,
            fmt::format("{}, {} processors for this process", host.model, host.processors.size()),
            ""};
}

// Which of a machine's usual disturbances are on, by what its environment says.
DoctorFinding frequency() {
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

DoctorFinding quota() {
    const auto environment = describe_environment();
    const auto limit = environment.find("cgroup.cpu_quota");
    if (limit == environment.end()) {
        return {"processor quota", Condition::ok, "none", ""};
    }
    return {"processor quota", Condition::limited,
            fmt::format("{}: a run is stopped when it uses more", limit->second),
            "run outside the container, or with a quota of whole processors"};
}

DoctorFinding counters() {
    const std::string refusal = probe_counters().front();
    if (refusal.empty()) {
        return {"hardware counters", Condition::ok, "instructions, cycles and cache misses", ""};
    }
    return {"hardware counters", Condition::absent, "times and analytic work only: " + refusal,
            "see the reason; a virtual machine needs a host that passes its counters on"};
}

DoctorFinding ceilings() {
    const int threads = thread_count({});
    std::vector<std::string> known;
    for (const Device& device : own_devices()) {
        known.push_back(std::to_string(device.threads));
    }
    if (own_device(threads)) {
        return {"ceilings", Condition::ok,
                fmt::format("measured for {} thread{} ({})", join(known, " and "),
                            known == std::vector<std::string>{"1"} ? "" : "s",
                            own_device_file(threads).string()),
                ""};
    }
    return {"ceilings", Condition::absent,
            fmt::format("no share of the peak and no verdict on what bounds a step{}",
                        known.empty() ? ""
                                      : fmt::format(" with {} threads: measured only for {}",
                                                    threads, join(known, " and "))),
            "strata calibrate"};
}

// Whether what doubts are raised from is refused; that a device has no MIG, say, is no loss.
bool lacks_what_doubts_need(const std::string& refused) {
    const auto is_refused = [&](const char* name) {
        return refused.find(name) != std::string::npos;
    };
    return is_refused("core_clock (") || is_refused("power (") || is_refused("clock_limits (");
}

// Whether a device of a backend's own tells how it is, and what of it.
DoctorFinding device_state(std::string_view backend, DeviceWatch& watch) {
    const std::string subject = fmt::format("device of {}", backend);
    auto words = watch.describe();
    const std::string library = words["gpu.nvml"];
    const std::string refused = words["gpu.nvml.refused"];
    if (library.starts_with("absent")) {
        return {subject, Condition::limited,
                "neither clocks nor power are recorded, nor throttling seen: NVML is " + library,
                "install the driver's management library (libnvidia-ml.so.1) beside it"};
    }
    const std::string told = fmt::format("{}, clocks, power and what limits them, by NVML {}",
                                         words["gpu.name"], library);
    return {subject, lacks_what_doubts_need(refused) ? Condition::limited : Condition::ok,
            refused.empty() ? told : fmt::format("{}; not told: {}", told, refused), ""};
}

DoctorFinding device_counters(std::string_view backend, const std::string& refusal) {
    const std::string subject = fmt::format("counters of {}", backend);
    return refusal.empty()
               ? DoctorFinding{subject, Condition::ok, "strata run --counters tells them by layer",
                               ""}
               : DoctorFinding{subject, Condition::limited,
                               "times and kernels (--trace), but no counters: " + refusal,
                               "see the reason"};
}

DoctorFinding device_ceilings(std::string_view backend, const std::string& model) {
    const std::string subject = fmt::format("ceilings of {}", backend);
    if (device_of(model)) {
        return {subject, Condition::ok,
                fmt::format("measured for {} ({})", model, device_file_of(model).string()), ""};
    }
    return {subject, Condition::absent,
            fmt::format("no share of the peak and no verdict on what bounds a step on {}", model),
            fmt::format("strata calibrate --backend {}", backend)};
}

// The engine's library beside what else can be had of it. Newer is not faster: 3.2.0 was measured
// (docs/results/epyc-zen4-2t).
DoctorFinding library_age(const std::string& version) {
    const std::string newer = newer_onednn(version);
    if (newer.empty()) {
        return {"oneDNN", Condition::ok,
                fmt::format("{}; nothing newer was known on {}", version, offers_known_on), ""};
    }
    return {"oneDNN", Condition::ok,
            fmt::format("{}; on {} there were also {}. 3.2.0 took as long as 2.6.3 with AVX-512, "
                        "longer with AVX2, and has no Winograd",
                        version, offers_known_on, newer),
            "OneDNN_ROOT=FOLDER scripts/run builds with another"};
}

std::vector<DoctorFinding> findings_of(const BackendEntry& entry) {
    const std::string subject = fmt::format("backend {}", entry.name);
    try {
        const auto backend = entry.make();
        const BackendInfo info = backend->info();
        std::vector<DoctorFinding> findings = {
            {subject, Condition::ok, fmt::format("{} {}", info.version, info.details), ""}};
        if (entry.name == "onednn") {
            findings.push_back(library_age(info.version));
        }
        if (DeviceWatch* watch = backend->watch()) {
            findings.push_back(device_state(entry.name, *watch));
        }
        if (const auto refusal = backend->counting_refusal()) {
            findings.push_back(device_counters(entry.name, *refusal));
        }
        if (info.device_memory) {
            findings.push_back(device_ceilings(entry.name, info.device_model));
        }
        return findings;
    } catch (const Error& error) {
        return {{subject, Condition::absent, error.what(), "see the reason"}};
    }
}

DoctorFinding runs(const std::string& database) {
    try {
        const auto path = database_path(database);
        if (!std::filesystem::exists(path)) {
            return {"database", Condition::ok,
                    fmt::format("{} is made by the first run", path.string()), ""};
        }
        Database::open_existing(path);
        return {"database", Condition::ok, path.string(), ""};
    } catch (const Error& error) {
        return {"database", Condition::absent, error.what(), "name another with --database"};
    }
}

}  // namespace

std::vector<DoctorFinding> examine_machine(const std::string& database) {
    std::vector<DoctorFinding> findings = {processor(), frequency(), quota(), counters(),
                                           ceilings()};
    for (const BackendEntry& entry : backends()) {
        std::ranges::move(findings_of(entry), std::back_inserter(findings));
    }
    findings.push_back(runs(database));
    return findings;
}

}  // namespace strata
