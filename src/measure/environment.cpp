// SPDX-License-Identifier: MIT
#include "measure/environment.h"

#include "base/file.h"
#include "base/processors.h"
#include "base/text.h"
#include "device/topology.h"
#include "measure/perf_event.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace strata {
namespace {

using Facts = std::map<std::string, std::string>;

// Reads the files of one machine and keeps the facts found.
class Description {
public:
    explicit Description(std::filesystem::path root) : root_(std::move(root)) {}

    std::string text(std::string_view file) const {
        return read_small_file(root_ / file, 1 << 24).value_or("");
    }

    std::string trimmed(std::string_view file) const { return std::string(trim(text(file))); }

    void add(const std::string& key, const std::optional<std::string>& value) {
        if (value && !trim(*value).empty()) {
            facts_[key] = printable(trim(*value));
        }
    }

    void add_file(const std::string& key, std::string_view file) { add(key, text(file)); }

    Facts facts() const { return facts_; }

private:
    std::filesystem::path root_;
    Facts facts_;
};

// "0-1,4" for ascending numbers.
std::string ranges_of(const std::vector<int>& processors) {
    std::vector<std::string> ranges;
    for (std::size_t first = 0; first < processors.size();) {
        std::size_t last = first;
        while (last + 1 < processors.size() && processors[last + 1] == processors[last] + 1) {
            ++last;
        }
        ranges.push_back(last > first ? fmt::format("{}-{}", processors[first], processors[last])
                                      : std::to_string(processors[first]));
        first = last + 1;
    }
    return join(ranges, ",");
}

// The word in brackets: "always [madvise] never".
std::optional<std::string> chosen(std::string_view text) {
    const auto begin = text.find('[');
    const auto end = text.find(']');
    return begin < end && end != text.npos
               ? std::optional(std::string(text.substr(begin + 1, end - begin - 1)))
               : std::nullopt;
}

// intel_pstate states what is forbidden, other drivers what is allowed.
std::optional<std::string> turbo(const Description& machine) {
    const auto forbidden = machine.trimmed("sys/devices/system/cpu/intel_pstate/no_turbo");
    if (forbidden == "0" || forbidden == "1") {
        return forbidden == "0" ? "on" : "off";
    }
    const auto allowed = machine.trimmed("sys/devices/system/cpu/cpufreq/boost");
    if (allowed == "0" || allowed == "1") {
        return allowed == "1" ? "on" : "off";
    }
    return {};
}

std::optional<std::string> frequency(const Description& machine, std::string_view cpuinfo) {
    const auto kilohertz =
        parse_number(machine.trimmed("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"));
    const auto megahertz = kilohertz ? std::optional(*kilohertz / 1000)
                                     : parse_number(field_of(cpuinfo, "cpu MHz").value_or(""));
    return megahertz ? std::optional(fmt::format("{:.0f} MHz", *megahertz)) : std::nullopt;
}

std::optional<std::string> quota_of(std::string_view quota, std::string_view period) {
    const auto used = parse_number(trim(quota));
    const auto whole = parse_number(trim(period));
    if (!used || !whole || *used <= 0 || *whole <= 0) {
        return {};
    }
    return fmt::format("{:.2f} processors", *used / *whole);
}

// Version 2 has both numbers in one file ("max 100000": none), version 1 has a file for each.
std::optional<std::string> cpu_quota(const Description& machine) {
    const std::string file = machine.trimmed("sys/fs/cgroup/cpu.max");
    const auto numbers = split(file, ' ');
    if (numbers.size() == 2) {
        return quota_of(numbers[0], numbers[1]);
    }
    return quota_of(machine.text("sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
                    machine.text("sys/fs/cgroup/cpu/cpu.cfs_period_us"));
}

std::optional<std::string> bytes_of(std::string_view meminfo, std::string_view name) {
    const auto text = field_of(meminfo, name).value_or("");
    const auto kibibytes = parse_integer(split(text, ' ').front());
    return kibibytes && *kibibytes >= 0 && *kibibytes < std::int64_t{1} << 50
               ? std::optional(fmt::format("{} bytes", *kibibytes * 1024))
               : std::nullopt;
}

// A processor flag reveals a hypervisor; cpuid leaf 0x40000000 names it.
std::optional<std::string> hypervisor(std::string_view cpuinfo) {
    const auto flags = " " + field_of(cpuinfo, "flags").value_or("") + " ";
    if (flags.find(" hypervisor ") == flags.npos) {
        return {};
    }
#if defined(__x86_64__)
    unsigned a = 0;
    std::array<unsigned, 4> signature{};  // the fourth ends the text
    __cpuid(0x40000000, a, signature[0], signature[1], signature[2]);
    std::array<char, sizeof signature> name{};
    std::memcpy(name.data(), signature.data(), name.size());
    if (name[0] != 0) {
        return std::string(name.data());
    }
#endif
    return "unnamed";
}

void describe_processor(Description& machine) {
    const std::string cpuinfo = machine.text("proc/cpuinfo");
    machine.add("cpu.model", field_of(cpuinfo, "model name"));
    machine.add("cpu.microcode", field_of(cpuinfo, "microcode"));
    machine.add("cpu.logical", std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)));
    machine.add("cpu.cores", std::to_string(this_topology().cores));
    machine.add("cpu.affinity", ranges_of(allowed_processors()));
    machine.add_file("cpu.governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    machine.add("cpu.frequency", frequency(machine, cpuinfo));
    machine.add("cpu.turbo", turbo(machine));
    const auto smt = machine.trimmed("sys/devices/system/cpu/smt/active");
    if (smt == "0" || smt == "1") {
        machine.add("cpu.smt", smt == "1" ? "on" : "off");
    }
    machine.add("hypervisor", hypervisor(cpuinfo));
}

void describe_system(Description& machine) {
    utsname system{};
    if (::uname(&system) == 0) {
        machine.add("kernel", system.release);
        machine.add("host", system.nodename);
    }
    const std::string meminfo = machine.text("proc/meminfo");
    machine.add("memory.total", bytes_of(meminfo, "MemTotal"));
    machine.add("memory.available", bytes_of(meminfo, "MemAvailable"));
    machine.add("memory.huge_pages",
                chosen(machine.text("sys/kernel/mm/transparent_hugepage/enabled")));
    machine.add("cgroup.cpu_quota", cpu_quota(machine));
    machine.add_file("perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid");
    const auto refusal = probe_counters().at(static_cast<std::size_t>(CounterEvent::cycles));
    machine.add("perf_event.cycles", refusal.empty() ? "can be counted" : refusal);
    const std::string loads = machine.text("proc/loadavg");
    if (const auto load = parse_number(split(loads, ' ').front())) {
        machine.add("load", fmt::format("{:.2f} (1 minute)", *load));
    }
}

constexpr std::array<std::string_view, 4> whole_names = {
    "NVIDIA_TF32_OVERRIDE", "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_MODULE_LOADING"};
constexpr std::array<std::string_view, 10> beginnings = {
    "CUBLAS_", "CUBLASLT_", "CUDNN_", "CUDA_MPS_", "ONEDNN_",
    "DNNL_",   "OMP_",      "GOMP_",  "KMP_",      "MKL_"};

bool changes_a_library(std::string_view name) {
    return std::ranges::find(whole_names, name) != whole_names.end() ||
           std::ranges::any_of(beginnings, [&](std::string_view b) { return name.starts_with(b); });
}

}  // namespace

std::map<std::string, std::string> library_variables(const char* const* entries) {
    std::map<std::string, std::string> variables;
    for (; *entries != nullptr; ++entries) {
        const std::string_view entry = *entries;
        const std::size_t end = entry.find('=');
        if (end != entry.npos && changes_a_library(entry.substr(0, end))) {
            variables[std::string(entry.substr(0, end))] = printable(entry.substr(end + 1));
        }
    }
    return variables;
}

std::map<std::string, std::string> library_variables() {
    return library_variables(environ);
}

std::map<std::string, std::string> describe_environment(const std::filesystem::path& root) {
    Description machine(root);
    describe_processor(machine);
    describe_system(machine);
    return machine.facts();
}

}  // namespace strata
