// SPDX-License-Identifier: MIT
#include "device/host.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace strata {
namespace {

constexpr std::int64_t kibibyte = 1024;

std::optional<Bytes> installed_memory(std::string_view meminfo) {
    const auto text = field_of(meminfo, "MemTotal");
    const auto number = text ? parse_integer(split(*text, ' ').front()) : std::nullopt;
    return number ? std::optional(Bytes{static_cast<double>(*number) * kibibyte}) : std::nullopt;
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> all;
    for (const auto word : split(text, ' ')) {
        if (!word.empty()) {
            all.emplace_back(word);
        }
    }
    return all;
}

// Words that carry no information in a model's name.
bool is_noise(std::string_view word) {
    constexpr std::array<std::string_view, 5> noise = {"processor", "cpu", "r", "tm", "core"};
    return std::find(noise.begin(), noise.end(), word) != noise.end();
}

std::vector<std::string> plain_words(std::string_view text) {
    std::vector<std::string> all(1);
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            all.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!all.back().empty()) {
            all.emplace_back();
        }
    }
    std::erase_if(all, [](const std::string& word) { return word.empty() || is_noise(word); });
    return all;
}

}  // namespace

Host detect_host(const std::filesystem::path& root) {
    const std::string cpuinfo = read_small_file(root / "proc/cpuinfo", 1 << 24).value_or("");
    Host host;
    host.model = printable(field_of(cpuinfo, "model name").value_or("unknown processor"));
    host.processors = this_topology().processors;
    host.caches = this_topology().caches;
    host.memory = installed_memory(read_small_file(root / "proc/meminfo").value_or(""));
    host.instructions = words(field_of(cpuinfo, "flags").value_or(""));
    return host;
}

bool has_instructions(const Host& host, std::string_view flag) {
    return std::find(host.instructions.begin(), host.instructions.end(), flag) !=
           host.instructions.end();
}

Bytes capacity_for(const Cache& cache, int threads) {
    const int instances = (threads + cache.shared_by - 1) / cache.shared_by;
    return cache.size * static_cast<double>(std::max(1, instances));
}

std::string device_name(const Host& host, int threads) {
    const auto words = plain_words(host.model.substr(0, host.model.find('@')));
    return fmt::format("{}-{}t", words.empty() ? "unknown" : join(words, "-"), threads);
}

namespace {

constexpr std::string_view host_prefix = "host";
constexpr std::string_view narrow_suffix = "-avx2";
constexpr int max_host_threads = 4096;

// fp32 multiply-adds of a core per clock.
double lanes_of(const Host& host, bool is_narrow) {
    constexpr double units = 2;
    constexpr double bits_per_float = 32;
    const bool is_wide = !is_narrow && has_instructions(host, "avx512f");
    const bool has_avx2 = has_instructions(host, "avx2");
    return units * (is_wide ? 512 : has_avx2 ? 256 : 128) / bits_per_float;
}

const MemoryLevel* level_named(const Device& device, std::string_view name) {
    const auto found = std::ranges::find(device.memory, name, &MemoryLevel::name);
    return found == device.memory.end() ? nullptr : &*found;
}

// A measured peak, and the lanes that gave it.
struct PeakOfLanes {
    const ComputeCeiling* ceiling = nullptr;
    double lanes = 0;
};
PeakOfLanes peak_for(const HostName& name, const Host& host, const Device& ceilings) {
    const auto measured = [&](std::string_view dtype) {
        const auto found = std::ranges::find(ceilings.compute, dtype, &ComputeCeiling::dtype);
        return found == ceilings.compute.end() ? nullptr : &*found;
    };
    const ComputeCeiling* const narrow = name.is_narrow ? measured(f32_of_avx2) : nullptr;
    return narrow != nullptr ? PeakOfLanes{narrow, lanes_of(host, true)}
                             : PeakOfLanes{measured("f32"), lanes_of(host, false)};
}

void describe_caches(const Host& host, int threads, DeviceDescription& device) {
    const std::string told = "reported by the operating system";
    for (const Cache& cache : host.caches) {
        if (cache.level == 1) {
            device.l1 = {cache.size, told};
        } else if (cache.level == 2) {
            device.l2 = {capacity_for(cache, threads), told};
        } else if (cache.level == 3) {
            device.l3 = {capacity_for(cache, threads), told};
        }
    }
}

}  // namespace

std::optional<HostName> host_name_in(std::string_view name) {
    if (!name.starts_with(host_prefix)) {
        return std::nullopt;
    }
    name.remove_prefix(host_prefix.size());
    HostName found;
    if (name.ends_with(narrow_suffix)) {
        found.is_narrow = true;
        name.remove_suffix(narrow_suffix.size());
    }
    if (name.empty()) {
        return found;
    }
    const auto threads = name.starts_with('-') && name.ends_with('t')
                             ? parse_integer(name.substr(1, name.size() - 2))
                             : std::nullopt;
    if (!threads || *threads < 1 || *threads > max_host_threads) {
        return std::nullopt;
    }
    found.threads = static_cast<int>(*threads);
    return found;
}

std::string text_of(const HostName& name) {
    return fmt::format("{}{}{}", host_prefix,
                       name.threads ? fmt::format("-{}t", *name.threads) : std::string(),
                       name.is_narrow ? narrow_suffix : "");
}

DeviceDescription description_of(const HostName& name, const Host& host, const Device& ceilings) {
    DeviceDescription device;
    device.name = text_of(name);
    device.model = host.model;
    device.kind = DeviceKind::cpu;
    const double threads = ceilings.threads;
    const double lanes = lanes_of(host, name.is_narrow);
    device.processors = {Count{threads}, "the threads of the calibration, one on each processor"};
    device.lanes = {Count{lanes}, "two units of the widest registers"};
    if (const PeakOfLanes peak = peak_for(name, host, ceilings); peak.ceiling != nullptr) {
        device.boost_clock = {
            Hertz{peak.ceiling->peak.value.value / (2 * threads * peak.lanes)},
            fmt::format("the clock at which the lanes give the peak {}", peak.ceiling->peak.source),
            peak.ceiling->peak.is_doubtful};
    }
    describe_caches(host, ceilings.threads, device);
    if (host.memory) {
        device.memory = {*host.memory, "reported by the operating system"};
    }
    if (const MemoryLevel* l2 = level_named(ceilings, "L2")) {
        device.l2_bandwidth = l2->bandwidth;
    }
    if (const MemoryLevel* memory = level_named(ceilings, "DRAM")) {
        device.dram_bandwidth = memory->bandwidth;
    }
    return device;
}

DeviceDescription describe_host(const HostName& name) {
    const Host host = detect_host();
    const int threads = name.threads.value_or(static_cast<int>(host.processors.size()));
    const auto ceilings = own_device(threads);
    if (!ceilings) {
        throw Error(
            fmt::format("the ceilings of this machine with {} thread{} are not known: measure "
                        "them, and single operators, with strata calibrate --operators "
                        "--threads {}",
                        threads, threads == 1 ? "" : "s", threads));
    }
    HostName whole = name;
    whole.threads = threads;
    return description_of(whole, host, *ceilings);
}

}  // namespace strata
