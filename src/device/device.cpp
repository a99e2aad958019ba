// SPDX-License-Identifier: MIT
#include "device/device.h"

#include "base/error.h"
#include "base/small_file.h"
#include "base/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace strata {
namespace {

// An environment variable that is set to something.
std::optional<std::filesystem::path> path_in_environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == 0 ? std::nullopt
                                           : std::optional<std::filesystem::path>(value);
}

constexpr std::size_t longest_name = 100;

std::optional<Device> read_if_there(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) ? std::optional(read_device(path)) : std::nullopt;
}

std::filesystem::path data_home() {
    if (const auto data = path_in_environment("XDG_DATA_HOME")) {
        return *data;
    }
    if (const auto home = path_in_environment("HOME")) {
        return *home / ".local" / "share";
    }
    throw Error(
        "there is no place for device files because HOME is not set; set XDG_DATA_HOME to a "
        "folder, "
        "or STRATA_DEVICE to this machine's own file");
}

// A host's name is its administrator's, and need not make a file name.
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
        throw Error(
            fmt::format("{}: this device file cannot be read or is no small text file; "
                        "make one with `strata calibrate`",
                        printable(path.string())));
    }
    return parse_device(*text, path.string());
}

void write_device(const std::filesystem::path& path, const Device& device) {
    replace_file(path, to_toml(device));
}

std::filesystem::path own_device_file() {
    if (const auto file = path_in_environment("STRATA_DEVICE")) {
        return *file;
    }
    return data_home() / "strata" / "devices" / host_file_name();
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
    return data_home() / "strata" / "devices" / (device_file_name(model) + ".toml");
}

std::optional<Device> device_of(std::string_view model) {
    auto device = read_if_there(device_file_of(model));
    return device && device->model == model ? device : std::nullopt;
}

std::optional<Device> own_device() {
    return read_if_there(own_device_file());
}

}  // namespace strata
