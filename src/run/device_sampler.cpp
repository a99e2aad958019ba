// SPDX-License-Identifier: MIT
#include "run/device_sampler.h"

#include "measure/device_diagnosis.h"

namespace strata {

namespace {

// A query takes some milliseconds during which the device idles, so it must be rare. The first few
// come sooner, so that a run of half a second has some.
constexpr Seconds between_first_questions{0.1};
constexpr Seconds between_questions{0.5};
constexpr std::size_t first_questions = 5;
constexpr std::size_t max_states = 10'000;

}  // namespace

void DeviceSampler::ask() {
    if (states_.size() < max_states) {
        states_.push_back(watch_->state());
    }
    last_ = clock_.now();
}

void DeviceSampler::ask_if_due() {
    const Seconds period =
        states_.size() < first_questions ? between_first_questions : between_questions;
    const bool is_due = states_.empty() || clock_.now() - last_ >= period;
    if (watch_ != nullptr && is_due) {
        ask();
    }
}

void DeviceSampler::add_to(Run& run) {
    if (watch_ == nullptr) {
        return;
    }
    if (states_.empty()) {
        ask();
    }
    run.provenance.merge(describe_states(states_));
    for (Doubt& doubt : diagnose_device(states_)) {
        run.flags.push_back(std::move(doubt));
    }
}

}  // namespace strata
