// SPDX-License-Identifier: MIT
#include "record/observation.h"

#include "base/text.h"

#include <algorithm>

namespace strata {

std::string_view platform_of(const Observation& run) {
    const std::string_view backend = run.backend;
    const auto colon = backend.find(':');
    return colon == backend.npos ? backend : backend.substr(colon + 1);
}

void describe_network(std::string_view network, Observation& run) {
    run.network = network;
    run.family = network.substr(0, network.find(':'));
    while (!network.empty()) {
        const auto end = network.find_first_of(" ,:");
        const std::string_view piece = network.substr(0, end);
        const auto equals = piece.find('=');
        if (equals != piece.npos && equals > 0) {
            if (const auto value = parse_number(piece.substr(equals + 1))) {
                run.parameters.emplace_back(piece.substr(0, equals), *value);
            }
        }
        network.remove_prefix(end == network.npos ? network.size() : end + 1);
    }
}

std::optional<double> parameter_of(const Observation& run, std::string_view name) {
    if (name == "batch") {
        return static_cast<double>(run.batch);
    }
    if (name == "threads") {
        return run.threads > 0 ? std::optional(static_cast<double>(run.threads)) : std::nullopt;
    }
    const auto found =
        std::ranges::find(run.parameters, name, &std::pair<std::string, double>::first);
    return found == run.parameters.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace strata
