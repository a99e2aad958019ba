// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "cli/measuring.h"
#include "run/job.h"
#include "store/database.h"

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

namespace strata {

// What a command that measures holds: each backend, opened once however many jobs it runs and
// questions it answers, because a framework takes seconds to load; the database; and how to take a
// turn on this machine.
class Session {
public:
    explicit Session(WhenLocked when_locked, const std::string& database = {});

    // Opened when it is first needed. Throws Error (machine_cannot), each time with the same
    // sentence, if it cannot work here. Requires: require_ability passed.
    const std::shared_ptr<Backend>& backend(std::string_view name, const Execution& execution);
    const std::shared_ptr<Backend>& backend_of(const Job& job) {
        return backend(job.backend, job.execution);
    }
    // Throws Error with exit code machine_cannot if this machine lacks something that one of the
    // settings needs. Called before the first of them is measured.
    void require_machine(std::string_view backend, std::span<const Settings> all);

    // Opened when it is first needed.
    Database& database();

    // Waits until no other process measures on this machine, unless the user does not want to.
    MeasuringLock take_turn() const { return acquire_measuring_lock(when_locked_); }

private:
    struct Opened {
        std::shared_ptr<Backend> backend = {};
        std::exception_ptr absence = {};  // why there is none
    };

    WhenLocked when_locked_;
    std::string path_;  // as the user gave it; empty: the usual one
    std::optional<Database> database_;
    // By the entry's own name, and whether a framework computes on a GPU.
    std::map<std::tuple<std::string_view, L1Caching, bool>, Opened> opened_;
};

}  // namespace strata
