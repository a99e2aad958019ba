// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/tracer.h"

#include "base/error.h"

namespace strata::cuda {

Tracer::Tracer(ActivityCalls& calls) : calls_(calls) {
    try {
        calls_.start();
        for (const Recorded kind : all_recorded) {
            calls_.enable(kind);
        }
    } catch (...) {
        calls_.stop();
        throw;
    }
}

Tracer::~Tracer() {
    calls_.stop();
}

std::uint64_t Tracer::begin_range(std::optional<Task> task) {
    const std::uint64_t id = ranges_.size() + 1;
    calls_.enter(id);
    ranges_.push_back({.id = id, .parent = open_.empty() ? 0 : open_.back(), .task = task});
    open_.push_back(id);
    return id;
}

void Tracer::end_range() {
    check(!open_.empty(), "a range that ends was begun");
    open_.pop_back();
    calls_.leave(open_.empty() ? 0 : open_.back());
}

void Tracer::end_range_or_note() noexcept {
    try {
        end_range();
    } catch (const ProfilerError&) {
        ++failed_ends_;
    }
}

Trace Tracer::finish() {
    check(open_.empty(), "every range has ended when a trace is finished");
    Trace trace = calls_.collect();
    calls_.stop();
    trace.ranges = std::move(ranges_);
    trace.dropped += failed_ends_;
    return trace;
}

}  // namespace strata::cuda
