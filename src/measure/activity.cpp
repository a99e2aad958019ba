// SPDX-License-Identifier: MIT
#include "measure/activity.h"

#include "base/file.h"
#include "base/text.h"

#include <sys/resource.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace strata {
namespace {

constexpr std::size_t steal_column = 7;  // user nice system idle iowait irq softirq steal
constexpr std::size_t guest_column = 8;  // guest times are already counted in user and nice

std::vector<double> numbers_in(std::string_view line) {
    std::vector<double> numbers;
    for (const auto word : split(line, ' ')) {
        if (const auto number = parse_number(word)) {
            numbers.push_back(*number);
        }
    }
    return numbers;
}

void read_processor_time(Activity& activity, std::string_view stat) {
    const auto line = stat.substr(0, stat.find('\n'));
    const auto ticks = numbers_in(line);
    const long per_second = ::sysconf(_SC_CLK_TCK);
    if (!line.starts_with("cpu ") || ticks.size() <= steal_column || per_second <= 0) {
        return;
    }
    const Seconds tick{1.0 / static_cast<double>(per_second)};
    Seconds all;
    for (std::size_t i = 0; i < std::min(ticks.size(), guest_column); ++i) {
        all += ticks[i] * tick;
    }
    activity.processor = all;
    activity.stolen = ticks[steal_column] * tick;
}

// Microseconds in version 2 of control groups, nanoseconds in version 1; "name value" lines.
std::optional<Seconds> throttled_time(const std::filesystem::path& root) {
    for (const auto& [file, name, unit] :
         {std::tuple("sys/fs/cgroup/cpu.stat", "throttled_usec ", 1e-6),
          std::tuple("sys/fs/cgroup/cpu/cpu.stat", "throttled_time ", 1e-9)}) {
        const std::string text = read_small_file(root / file).value_or("");
        for (const auto line : split(text, '\n')) {
            if (line.starts_with(name)) {
                const auto numbers = numbers_in(line);
                return numbers.empty() ? std::nullopt : std::optional(Seconds{numbers[0] * unit});
            }
        }
    }
    return {};
}

void read_process(Activity& activity) {
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0) {
        activity.preemptions = usage.ru_nivcsw;
        activity.major_faults = usage.ru_majflt;
    }
}

template <class T>
std::optional<T> difference(const std::optional<T>& before, const std::optional<T>& after) {
    return before && after ? std::optional(*after - *before) : std::nullopt;
}

}  // namespace

Activity read_activity(Clock& clock, const std::filesystem::path& root) {
    Activity activity;
    activity.when = clock.now();
    read_processor_time(activity, read_small_file(root / "proc/stat", 1 << 24).value_or(""));
    activity.throttled = throttled_time(root);
    read_process(activity);
    return activity;
}

ActivityChange change_between(const Activity& before, const Activity& after) {
    ActivityChange change{.elapsed = after.when - before.when,
                          .stolen_share = {},
                          .preemptions_per_second = {},
                          .major_faults = difference(before.major_faults, after.major_faults),
                          .throttled = difference(before.throttled, after.throttled)};
    const auto stolen = difference(before.stolen, after.stolen);
    const auto whole = difference(before.processor, after.processor);
    if (stolen && whole && whole->value > 0) {
        change.stolen_share = *stolen / *whole;
    }
    const auto preemptions = difference(before.preemptions, after.preemptions);
    if (preemptions && change.elapsed.value > 0) {
        change.preemptions_per_second = static_cast<double>(*preemptions) / change.elapsed.value;
    }
    return change;
}

}  // namespace strata
