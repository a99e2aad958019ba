// SPDX-License-Identifier: MIT
#include "view/doctor.h"
#include "backend/device_watch.h"
#include "backend/module.h"
#include "backend/peer/peer.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "device/device.h"
#include "device/host.h"
#include "measure/environment.h"
#include "measure/perf_event.h"
#include "run/job.h"
#include "scale/communicator.h"
#include "store/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace strata {

namespace {

DoctorCheck processor() {
    const Host host = detect_host();
    return {"processor", Condition::ok,
            fmt::format("{}, {} processors for this process", host.model, host.processors.size()),
            ""};
}

// Whether the clock frequency may vary, according to the machine's environment.
DoctorCheck frequency() {
    const auto environment = describe_environment();
    const auto governor = environment.find("cpu.governor");
    if (governor == environment.end()) {
        return {"clock", Condition::limited,
                "the kernel does not report its governor, as in most virtual machines, so only "
                "the calibration loop detects drift and noisy neighbours",
                ""};
    }
    const bool steady = governor->second == "performance";
    return {"clock", steady ? Condition::ok : Condition::limited,
            fmt::format("governor {}", governor->second),
            steady ? "" : "cpupower frequency-set -g performance"};
}

DoctorCheck quota() {
    const auto environment = describe_environment();
    const auto limit = environment.find("cgroup.cpu_quota");
    if (limit == environment.end()) {
        return {"processor quota", Condition::ok, "none", ""};
    }
    return {"processor quota", Condition::limited,
            fmt::format("{}: a run that uses more is throttled", limit->second),
            "run outside the container, or with a quota of whole processors"};
}

DoctorCheck counters() {
    const std::string refusal = probe_counters().front();
    if (refusal.empty()) {
        return {"hardware counters", Condition::ok, "instructions, cycles and cache misses", ""};
    }
    return {"hardware counters", Condition::absent,
            "none, so only times and analytic work: " + refusal,
            "use a host that exposes its counters to virtual machines"};
}

// Names ceilings that did not repeat while they were measured.
DoctorCheck check_of_ceilings(const std::string& subject, const Device& device,
                              const std::string& told, const std::string& command) {
    const auto doubtful = doubtful_ceilings(device);
    if (doubtful.empty()) {
        return {subject, Condition::ok, told, ""};
    }
    return {subject, Condition::limited,
            fmt::format("{}, but the best values of {} did not repeat: the machine was disturbed, "
                        "and the true values are higher",
                        told, join(doubtful, ", ")),
            command + " while the machine is idle"};
}

DoctorCheck ceilings() {
    const int threads = thread_count({});
    std::vector<std::string> known;
    for (const Device& device : own_devices()) {
        known.push_back(std::to_string(device.threads));
    }
    if (const auto device = own_device(threads)) {
        const std::string told = fmt::format("measured for {} thread{} ({})", join(known, " and "),
                                             known == std::vector<std::string>{"1"} ? "" : "s",
                                             own_device_file(threads).string());
        return check_of_ceilings("ceilings", *device, told, "strata calibrate");
    }
    return {"ceilings", Condition::absent,
            fmt::format("no percentage of peak, and no verdict on what bounds a step{}",
                        known.empty() ? ""
                                      : fmt::format(" with {} threads: measured only for {}",
                                                    threads, join(known, " and "))),
            "strata calibrate"};
}

// Whether a reading that raises doubts was refused; a device without MIG, for example, loses
// nothing.
bool lacks_disturbance_counters(const std::string& refused) {
    const auto is_refused = [&](const char* name) {
        return refused.find(name) != std::string::npos;
    };
    return is_refused("core_clock (") || is_refused("power (") || is_refused("clock_limits (");
}

// Whether the backend's device reports its state, and which parts of it.
DoctorCheck device_state(std::string_view backend, DeviceWatch& watch) {
    const std::string subject = fmt::format("device of {}", backend);
    auto words = watch.describe();
    const std::string library = words["gpu.nvml"];
    const std::string refused = words["gpu.nvml.refused"];
    if (library.starts_with("absent")) {
        return {subject, Condition::limited,
                "clocks, power and throttling are not recorded: NVML is " + library,
                "also install the driver's management library (libnvidia-ml.so.1)"};
    }
    const std::string told =
        fmt::format("{}: clocks, power and their limits, from NVML {}", words["gpu.name"], library);
    return {subject, lacks_disturbance_counters(refused) ? Condition::limited : Condition::ok,
            refused.empty() ? told : fmt::format("{}; not reported: {}", told, refused), ""};
}

DoctorCheck device_counters(std::string_view backend, const std::string& refusal) {
    const std::string subject = fmt::format("counters of {}", backend);
    return refusal.empty()
               ? DoctorCheck{subject, Condition::ok, "strata run --counters reads them by layer",
                             ""}
               : DoctorCheck{subject, Condition::limited, "times, but no counters: " + refusal, ""};
}

DoctorCheck device_ceilings(std::string_view backend, const std::string& model) {
    const std::string subject = fmt::format("ceilings of {}", backend);
    if (const auto device = device_of(model)) {
        return check_of_ceilings(
            subject, *device,
            fmt::format("measured for {} ({})", model, device_file_of(model).string()),
            fmt::format("strata calibrate --backend {}", backend));
    }
    return {
        subject, Condition::absent,
        fmt::format("no percentage of peak, and no verdict on what bounds a step, on {}", model),
        fmt::format("strata calibrate --backend {}", backend)};
}

// Compares the engine's library with the available versions. Newer is not faster: 3.2.0 was
// measured (docs/results/epyc-zen4-2t).
DoctorCheck library_age(const std::string& version) {
    const std::string newer = newer_onednn(version);
    if (newer.empty()) {
        return {"oneDNN", Condition::ok,
                fmt::format("{}; the newest version known on {}", version, offers_known_on), ""};
    }
    return {"oneDNN", Condition::ok,
            fmt::format("{}; as of {} there were also {}. 3.2.0 took as long as 2.6.3 with AVX-512 "
                        "and longer with AVX2, and has no Winograd",
                        version, offers_known_on, newer),
            "OneDNN_ROOT=FOLDER scripts/run builds with another version"};
}

std::vector<DoctorCheck> findings_of(const BackendEntry& entry) {
    const std::string subject = fmt::format("backend {}", entry.name);
    try {
        const auto backend = entry.make();
        const BackendInfo info = backend->info();
        std::vector<DoctorCheck> findings = {
            {subject, Condition::ok, fmt::format("{}, {}", info.version, info.details), ""}};
        if (entry.has_known_versions) {
            findings.push_back(library_age(info.version));
        }
        if (DeviceWatch* watch = backend->watch()) {
            findings.push_back(device_state(entry.name, *watch));
        }
        for (const std::string& shortcoming : backend->shortcomings()) {
            findings.push_back(
                {fmt::format("libraries of {}", entry.name), Condition::limited, shortcoming, ""});
        }
        if (const auto refusal = backend->counting_refusal()) {
            findings.push_back(device_counters(entry.name, *refusal));
        }
        if (info.device_memory) {
            findings.push_back(device_ceilings(entry.name, info.device_model));
        }
        return findings;
    } catch (const Error& error) {
        return {{subject, Condition::absent, error.what(), ""}};
    }
}

// Whether a framework, which the processors run, also runs on the GPU that strata has found.
DoctorCheck framework_on_gpu(const BackendEntry& entry) {
    const std::string subject = fmt::format("{} on a GPU", entry.name);
    try {
        return {subject, Condition::ok, entry.make_on_gpu()->info().details, ""};
    } catch (const Error& error) {
        return {subject, Condition::absent, error.what(), ""};
    }
}

// Says so if frameworks come from a Python that nobody set up for them.
std::vector<DoctorCheck> python_of_frameworks() {
    const auto python = peers_python_in_path();
    if (!python || python->peers.empty()) {
        return {};
    }
    return {{"python3", Condition::ok,
             fmt::format("{} has the packages of {}; they are used, because scripts/peers has "
                         "made no environment",
                         python->program.string(), join(python->peers, ", ")),
             ""}};
}

// The requirements of mpirun strata sweep.
DoctorCheck ranks() {
    const std::string refusal = mpi_refusal();
    return refusal.empty() ? DoctorCheck{"MPI", Condition::ok,
                                         "mpirun strata sweep shares a sweep among ranks", ""}
                           : DoctorCheck{"MPI", Condition::absent,
                                         refusal + ", so sweeps run on many hosts only by --shard",
                                         "apt install libopenmpi-dev openmpi-bin, and build again"};
}

DoctorCheck runs(const std::string& database) {
    try {
        const auto path = database_path(database);
        if (!std::filesystem::exists(path)) {
            return {"database", Condition::ok,
                    fmt::format("{} will be created by the first run", path.string()), ""};
        }
        Database::open_existing(path);
        return {"database", Condition::ok, path.string(), ""};
    } catch (const Error& error) {
        return {"database", Condition::absent, error.what(), "choose another with --database"};
    }
}

std::vector<DoctorCheck> examine_machine(const std::string& database) {
    std::vector<DoctorCheck> findings = {processor(), frequency(), quota(), counters(), ceilings()};
    std::ranges::move(python_of_frameworks(), std::back_inserter(findings));
    bool has_gpu = false;
    for (const BackendEntry& entry : backends()) {
        std::vector<DoctorCheck> found = findings_of(entry);
        const bool is_there = found.front().condition == Condition::ok;
        has_gpu = has_gpu || (entry.is_on_gpu && is_there);
        if (is_there && has_gpu && entry.make_on_gpu != nullptr) {
            found.push_back(framework_on_gpu(entry));
        }
        std::ranges::move(found, std::back_inserter(findings));
    }
    findings.push_back(ranks());
    findings.push_back(runs(database));
    return findings;
}

struct DoctorOptions {
    std::string database;
    OutputOptions output;
};

}  // namespace

void add_doctor(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<DoctorOptions>();
    CLI::App* verb = app.add_subcommand(
        "doctor",
        "Show what this machine can measure, what it cannot, why not, and how to fix it.");
    verb->footer("strata doctor");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options] {
        const auto findings = examine_machine(options->database);
        emit(options->output.is_data() ? doctor_records(findings) : doctor_document(findings),
             options->output);
    });
}

}  // namespace strata
