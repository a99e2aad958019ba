// SPDX-License-Identifier: MIT
#include "import/devices.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace strata {

namespace {

constexpr std::size_t max_devices = 256;

// Builds the recording of one device.
class DevicePart {
public:
    DevicePart(const RecordedProfile& whole, std::uint32_t device, std::size_t of)
        : whole_(whole), device_(device), of_(of), place_(whole.operators.size()) {}

    RecordedProfile make() {
        describe();
        take_operators();
        for (const RecordedSpan& span : whole_.spans) {
            if (span.device == device_) {
                RecordedSpan& taken = part_.spans.emplace_back(span);
                taken.device = 0;
                taken.launched_by = *place_[span.launched_by];
                part_.operators[taken.launched_by].time += span.span.end - span.span.start;
            }
        }
        return std::move(part_);
    }

private:
    void describe() {
        const RecordedDevice& device = whole_.devices[device_];
        const bool has_own_marks = std::ranges::any_of(
            whole_.devices, [](const RecordedDevice& one) { return !one.iterations.empty(); });
        part_.tool = whole_.tool;
        part_.version = whole_.version;
        part_.iterations = has_own_marks ? device.iterations : whole_.iterations;
        part_.devices = {device};
        part_.threads = whole_.threads;
        part_.processor = device.name.empty() ? whole_.processor : device.name;
        part_.has_starts = whole_.has_starts;
        part_.has_times = whole_.has_times;
        part_.is_summary = whole_.is_summary;
        part_.ledger = whole_.ledger;
        part_.doubts = whole_.doubts;
        part_.doubts.push_back(
            fmt::format("the file holds the work of {} devices, each of which becomes a separate "
                        "run: this one is {}",
                        of_, label_of(device)));
    }

    // The operators that launched work on the device, and those whose gradient they compute.
    void take_operators() {
        std::vector<bool> is_taken(whole_.operators.size());
        for (const RecordedSpan& span : whole_.spans) {
            is_taken[span.launched_by] = is_taken[span.launched_by] || span.device == device_;
        }
        for (std::size_t i = 0; i < is_taken.size() && whole_.spans.empty(); ++i) {
            is_taken[i] = whole_.operators[i].device == device_;
        }
        for (std::size_t i = is_taken.size(); i-- > 0;) {
            const std::uint32_t forward = whole_.operators[i].forward;
            if (is_taken[i] && forward != 0) {
                is_taken[forward - 1] = true;
            }
        }
        for (std::uint32_t i = 0; i < is_taken.size(); ++i) {
            if (is_taken[i]) {
                take(i);
            }
        }
        for (RecordedOperator& one : part_.operators) {
            const auto forward = one.forward == 0 ? std::nullopt : place_[one.forward - 1];
            one.forward = forward ? *forward + 1 : 0;
        }
    }

    void take(std::uint32_t i) {
        place_[i] = static_cast<std::uint32_t>(part_.operators.size());
        RecordedOperator& one = part_.operators.emplace_back(whole_.operators[i]);
        for (TextId* text : {&one.name, &one.scope, &one.shape, &one.implementation, &one.layout}) {
            *text = part_.texts.id_of(whole_.texts[*text]);
        }
        one.device = 0;
        one.time = whole_.spans.empty() ? one.time : Nanoseconds::zero();
        if (const auto found = whole_.counters.find(i); found != whole_.counters.end()) {
            part_.counters.emplace(*place_[i], found->second);
        }
    }

    const RecordedProfile& whole_;
    std::uint32_t device_;
    std::size_t of_;  // number of operators in the part
    std::vector<std::optional<std::uint32_t>>
        place_;  // index in the part of each operator of the whole
    RecordedProfile part_ = {};
};

}  // namespace

std::uint32_t device_place(std::vector<RecordedDevice>& devices, RecordedDevice device) {
    const auto found = std::ranges::find_if(devices, [&](const RecordedDevice& one) {
        return one.number == device.number && one.process == device.process;
    });
    const auto place = static_cast<std::uint32_t>(found - devices.begin());
    if (found == devices.end()) {
        if (devices.size() == max_devices) {
            throw Error(
                fmt::format("the file holds the work of more than {} devices; export those of "
                            "one process or host",
                            max_devices));
        }
        devices.push_back(std::move(device));
    }
    return place;
}

std::string label_of(const RecordedDevice& device) {
    const bool is_plain_number = parse_integer(device.number).has_value();
    std::string label =
        fmt::format("{}{}", is_plain_number ? "device " : "", printable(device.number));
    if (device.process != 0) {
        label += fmt::format(" of process {}", device.process);
    }
    return device.name.empty() ? label : fmt::format("{}, {}", label, printable(device.name));
}

std::vector<RecordedProfile> by_device(RecordedProfile recording) {
    std::set<std::uint32_t> used;
    for (const RecordedSpan& span : recording.spans) {
        used.insert(span.device);
    }
    for (const RecordedOperator& one : recording.operators) {
        if (recording.spans.empty() && !recording.devices.empty()) {
            used.insert(one.device);
        }
    }
    std::vector<RecordedProfile> parts;
    if (used.size() < 2) {
        const bool is_known = !used.empty() && !recording.devices.empty();
        if (is_known && !recording.devices[*used.begin()].name.empty()) {
            recording.processor = recording.devices[*used.begin()].name;
        }
        recording.devices.clear();
        parts.push_back(std::move(recording));
        return parts;
    }
    for (const std::uint32_t device : used) {
        parts.push_back(DevicePart(recording, device, used.size()).make());
    }
    return parts;
}

}  // namespace strata
