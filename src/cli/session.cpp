// SPDX-License-Identifier: MIT
#include "cli/session.h"

#include "backend/peer/peer.h"
#include "base/error.h"
#include "cli/backends.h"
#include "cli/options.h"

#include <fmt/format.h>

namespace strata {

Session::Session(WhenLocked when_locked, const std::string& database)
    : when_locked_(when_locked), path_(database) {}

const std::shared_ptr<Backend>& Session::backend(std::string_view name,
                                                 const Execution& execution) {
    const BackendEntry& entry = find_backend(name);
    const EngineOptions& engine = execution.engine;
    Opened& opened = opened_[{entry.name, engine.l1, ask_for_gpu(engine.peer_options)}];
    if (!opened.backend && !opened.absence) {
        try {
            opened.backend = entry.make_for(execution);
        } catch (const Error&) {
            opened.absence = std::current_exception();
        }
    }
    if (opened.absence) {
        std::rethrow_exception(opened.absence);
    }
    return opened.backend;
}

void Session::require_machine(std::string_view name, std::span<const Settings> all) {
    for (const Settings& settings : all) {
        const std::string refusal =
            refusal_here(*backend(name, settings.execution), settings.execution);
        if (!refusal.empty()) {
            throw Error(fmt::format("the backend {} cannot run this here: {}", name, refusal),
                        ExitCode::machine_cannot);
        }
    }
}

Database& Session::database() {
    if (!database_) {
        database_.emplace(Database::open(database_path(path_)));
    }
    return *database_;
}

}  // namespace strata
