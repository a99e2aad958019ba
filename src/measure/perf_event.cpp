// SPDX-License-Identifier: MIT
#include "measure/perf_event.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace strata {
namespace {

struct EventCode {
    std::uint32_t type;
    std::uint64_t config;
};

// In the order of CounterEvent.
constexpr std::array<EventCode, names_of(CounterEvent{}).size()> codes = {{
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
}};

// Context switches and migrations happen in the kernel: without kernel mode their count would be a
// false 0.
bool counts_in_kernel_mode(CounterEvent event) {
    return event == CounterEvent::context_switches || event == CounterEvent::migrations;
}

perf_event_attr attributes_of(CounterEvent event) {
    const EventCode code = codes[static_cast<std::size_t>(event)];
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = code.type;
    attributes.config = code.config;
    attributes.disabled = 1;
    attributes.exclude_kernel = counts_in_kernel_mode(event) ? 0 : 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return attributes;
}

int open_event(CounterEvent event, int leader) {
    constexpr int this_thread = 0;
    constexpr int any_processor = -1;
    auto attributes = attributes_of(event);
    return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, this_thread, any_processor,
                                      leader, PERF_FLAG_FD_CLOEXEC));
}

std::string reason_of(int error) {
    switch (error) {
        case ENOENT:
        case EOPNOTSUPP:
        case ENODEV:
            return "the processor or the virtual machine offers no such counter (ENOENT)";
        case EACCES:
        case EPERM:
            return "not allowed; lower /proc/sys/kernel/perf_event_paranoid or grant CAP_PERFMON "
                   "(EACCES)";
        case ENOSYS:
            return "the kernel or sandbox has no perf_event_open (ENOSYS)";
        case EMFILE:
            return "too many open files (EMFILE)";
        default:
            return std::string("perf_event_open fails: ") + std::strerror(error);
    }
}

// The result of read() for one event.
struct Reading {
    std::uint64_t value;
    std::uint64_t enabled;  // ns
    std::uint64_t running;  // ns
};

std::optional<double> scaled(const Reading& reading) {
    if (reading.running == 0) {
        return {};
    }
    return static_cast<double>(reading.value) * static_cast<double>(reading.enabled) /
           static_cast<double>(reading.running);
}

}  // namespace

CounterGroup::CounterGroup(std::span<const CounterEvent> events) {
    for (const CounterEvent event : events) {
        open(event);
    }
}

CounterGroup::~CounterGroup() {
    for (const int descriptor : descriptors_) {
        if (descriptor >= 0) {
            ::close(descriptor);
        }
    }
}

void CounterGroup::open(CounterEvent event) {
    const int descriptor = open_event(event, leader_);
    descriptors_.push_back(descriptor);
    refusals_.push_back(descriptor < 0 ? reason_of(errno) : "");
    leader_ = leader_ < 0 ? descriptor : leader_;
}

void CounterGroup::start() {
    if (leader_ >= 0) {
        ::ioctl(leader_, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
        ::ioctl(leader_, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    }
}

std::vector<std::optional<double>> CounterGroup::stop() {
    if (leader_ >= 0) {
        ::ioctl(leader_, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    }
    std::vector<std::optional<double>> counts;
    for (const int descriptor : descriptors_) {
        Reading reading{};
        const bool is_read =
            descriptor >= 0 && ::read(descriptor, &reading, sizeof reading) == sizeof reading;
        counts.push_back(is_read ? scaled(reading) : std::nullopt);
    }
    return counts;
}

std::vector<CounterEvent> all_counter_events() {
    std::vector<CounterEvent> events;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        events.push_back(static_cast<CounterEvent>(i));
    }
    return events;
}

std::vector<std::string> probe_counters() {
    std::vector<std::string> refusals;
    for (const CounterEvent event : all_counter_events()) {
        const CounterGroup alone(std::span(&event, 1));
        refusals.push_back(alone.refusals().front());
    }
    return refusals;
}

}  // namespace strata
