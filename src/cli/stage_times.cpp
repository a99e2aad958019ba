// SPDX-License-Identifier: MIT
#include "cli/stage_times.h"

#include "base/text.h"

#include <fmt/format.h>

namespace strata {

namespace {

constexpr Seconds min_reported_time{1};
constexpr double min_reported_share = 0.1;

}  // namespace

void StageTimes::enter(const std::string& stage) {
    if (stage != stage_) {
        end_stage();
        stage_ = stage;
    }
}

void StageTimes::end_stage() {
    const auto now = std::chrono::steady_clock::now();
    stages_.emplace_back(stage_, Seconds{std::chrono::duration<double>(now - since_).count()});
    since_ = now;
}

std::optional<std::string> StageTimes::sentence_beyond(Seconds bound) {
    end_stage();
    Seconds whole, bounded;
    std::vector<std::string> parts;
    for (const auto& [stage, time] : stages_) {
        whole += time;
        bounded += stage == "warming up" || stage == "measuring" ? time : Seconds{};
        if (time >= std::min(min_reported_time, min_reported_share * bound)) {
            parts.push_back(fmt::format("{} {:.1f} s", stage, time.value));
        }
    }
    const Seconds beyond = whole - bound;
    if (beyond < min_reported_time || beyond < min_reported_share * bound) {
        return std::nullopt;
    }
    const bool is_too_short = bounded - bound >= min_reported_time;
    return fmt::format("took {:.1f} s ({}); --max-time {:.4g} {}", whole.value, join(parts, ", "),
                       bound.value,
                       is_too_short ? "is too short for one sample of each kind"
                                    : "limits only warming up and measuring");
}

}  // namespace strata
