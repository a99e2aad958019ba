// SPDX-License-Identifier: MIT
#include "device/device.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace strata {
namespace {

constexpr std::size_t longest_name = 100;

std::optional<Device> read_if_there(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) ? std::optional(read_device(path)) : std::nullopt;
}

std::filesystem::path devices_folder() {
    if (const auto home = data_home()) {
        return *home / "strata" / "devices";
    }
    throw Error(
        "there is nowhere to put device files because HOME is not set; set XDG_DATA_HOME to a "
        "folder, or STRATA_DEVICE to this machine's device file");
}

// An administrator chooses a host's name, which need not be a valid file name.
std::string host_file_name() {
    std::array<char, 256> buffer{};
    ::gethostname(buffer.data(), buffer.size() - 1);
    std::string name(buffer.data());
    for (char& c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_';
        c = plain ? c : '-';
    }
    return (name.empty() ? "this-host" : name) + ".toml";
}

std::filesystem::path first_own_file() {
    if (const auto file = path_in_environment("STRATA_DEVICE")) {
        return *file;
    }
    return devices_folder() / host_file_name();
}

// HOST.toml becomes HOST-2t.toml for 2 threads.
std::filesystem::path with_threads(const std::filesystem::path& file, int threads) {
    const auto name =
        file.stem().string() + fmt::format("-{}t", threads) + file.extension().string();
    return file.parent_path() / name;
}

bool has_a_place() {
    return path_in_environment("STRATA_DEVICE") || data_home();
}

}  // namespace

std::optional<FlopRate> peak_of(const Device& device, std::string_view dtype) {
    const auto found = std::find_if(device.compute.begin(), device.compute.end(),
                                    [&](const ComputeCeiling& c) { return c.dtype == dtype; });
    return found == device.compute.end() ? std::nullopt : std::optional(found->peak.value);
}

std::optional<Bandwidth> memory_bandwidth_of(const Device& device) {
    return device.memory.empty() ? std::nullopt
                                 : std::optional(device.memory.back().bandwidth.value);
}

Device read_device(const std::filesystem::path& path) {
    const auto text = read_small_file(path);
    if (!text) {
        throw Error(fmt::format(
            "{}: this device file cannot be read ({}); create one with `strata calibrate`",
            printable(path.string()), why_not_read(path)));
    }
    return parse_device(*text, path.string());
}

void write_device(const std::filesystem::path& path, const Device& device) {
    replace_file(path, to_toml(device));
}

std::filesystem::path own_device_file(int threads) {
    const auto first = first_own_file();
    const auto held = read_if_there(first);
    return !held || held->threads == threads ? first : with_threads(first, threads);
}

std::string device_file_name(std::string_view model) {
    std::string name;
    for (const char c : model) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
            name += lower;
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
    }
    const auto end = name.find_last_not_of('-');
    return end == std::string::npos ? "unknown" : name.substr(0, std::min(end + 1, longest_name));
}

std::filesystem::path device_file_of(std::string_view model) {
    return devices_folder() / (device_file_name(model) + ".toml");
}

std::optional<Device> device_of(std::string_view model) {
    auto device = data_home() ? read_if_there(device_file_of(model)) : std::nullopt;
    return device && device->model == model ? device : std::nullopt;
}

std::vector<Device> own_devices() {
    std::vector<Device> devices;
    if (!has_a_place()) {
        return devices;
    }
    const auto first = first_own_file();
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(
             first.has_parent_path() ? first.parent_path() : ".", none)) {
        const auto stem = entry.path().stem().string();
        const bool is_other = matches_glob(first.stem().string() + "-*t", stem) &&
                              entry.path().extension() == first.extension();
        if (entry.path().filename() != first.filename() && !is_other) {
            continue;
        }
        auto device = read_device(entry.path());
        if (!is_other || stem == with_threads(first, device.threads).stem()) {
            devices.push_back(std::move(device));
        }
    }
    std::ranges::sort(devices, {}, &Device::threads);
    return devices;
}

std::optional<Device> own_device(int threads) {
    if (!has_a_place()) {
        return std::nullopt;
    }
    const auto first = first_own_file();
    for (const auto& file : {first, with_threads(first, threads)}) {
        auto device = read_if_there(file);
        if (device && device->threads == threads) {
            return device;
        }
    }
    return std::nullopt;
}

namespace {

// The better of two measurements of one ceiling. A shorter time is better than a longer one.
template <class Q>
Fact<Q> better_of(const Fact<Q>& before, const Fact<Q>& now) {
    const bool now_is_better =
        std::is_same_v<Q, Seconds> ? !(before.value < now.value) : !(now.value < before.value);
    Fact<Q> better = now_is_better ? now : before;
    const double ratio = before.value / now.value;
    if (std::max(ratio, 1 / ratio) <= 1 + repeated_within) {
        better.is_doubtful = false;
    }
    return better;
}

// Whether an earlier ceiling may be kept beside a new value, `impossible_change` times which is the
// limit. Only a cache's loop can be so wrong that it measures no traffic at all.
bool is_kept_at_most(const MemoryLevel& level, double limit) {
    return !level.capacity || level.bandwidth.value.value <= limit;
}
bool is_kept_at_most(const ComputeCeiling&, double) {
    return true;
}

// Merges one kind of ceiling of two calibrations, keeping the better of each. Ceilings known only
// before go to the end, but before main memory, which stays the last level.
template <class Entry, class Name, class Rate>
void keep_best(const std::vector<Entry>& before, std::vector<Entry>& now, Name name,
               Fact<Rate> Entry::*rate, std::vector<Remeasured>& remeasured) {
    constexpr bool has_a_last = std::is_same_v<Entry, MemoryLevel>;
    for (const Entry& old : before) {
        const auto same =
            std::ranges::find_if(now, [&](const Entry& e) { return name(e) == name(old); });
        Remeasured again{.ceiling = name(old), .before = (old.*rate).value.value};
        if (same == now.end()) {
            now.insert(now.end() - (has_a_last && !now.empty() ? 1 : 0), old);
        } else {
            again.now = ((*same).*rate).value.value;
            if (is_kept_at_most(old, impossible_change * *again.now)) {
                const Fact<Rate> better = better_of(old.*rate, (*same).*rate);
                if (*again.now < again.before) {
                    *same = old;
                }
                (*same).*rate = better;
            } else {
                again.was_impossible = true;
            }
        }
        remeasured.push_back(std::move(again));
    }
}

void keep_best_launch(const Device& before, Device& now, std::vector<Remeasured>& remeasured) {
    if (!before.launch) {
        return;
    }
    Remeasured again{.ceiling = "launch", .before = before.launch->value.value};
    if (now.launch) {
        again.now = now.launch->value.value;
    }
    now.launch = now.launch ? better_of(*before.launch, *now.launch) : *before.launch;
    remeasured.push_back(std::move(again));
}

std::string name_of_ceiling(const ComputeCeiling& ceiling) {
    return ceiling.dtype + " peak";
}
std::string name_of_ceiling(const MemoryLevel& level) {
    return level.name + " bandwidth";
}

}  // namespace

BestOfBoth best_of_both(const Device& before, const Device& now) {
    check(before.model == now.model, "the merged ceilings belong to one device");
    BestOfBoth best{.device = now, .remeasured = {}};
    const auto name = [](const auto& entry) { return name_of_ceiling(entry); };
    keep_best(before.compute, best.device.compute, name, &ComputeCeiling::peak, best.remeasured);
    keep_best(before.memory, best.device.memory, name, &MemoryLevel::bandwidth, best.remeasured);
    keep_best_launch(before, best.device, best.remeasured);
    return best;
}

std::vector<std::string> doubtful_ceilings(const Device& device) {
    std::vector<std::string> names;
    for (const ComputeCeiling& ceiling : device.compute) {
        if (ceiling.peak.is_doubtful) {
            names.push_back(name_of_ceiling(ceiling));
        }
    }
    for (const MemoryLevel& level : device.memory) {
        if (level.bandwidth.is_doubtful) {
            names.push_back(name_of_ceiling(level));
        }
    }
    if (device.launch && device.launch->is_doubtful) {
        names.emplace_back("launch");
    }
    return names;
}

}  // namespace strata
