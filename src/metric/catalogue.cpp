// SPDX-License-Identifier: MIT
#include "metric/catalogue.h"

#include "base/error.h"
#include "base/text.h"
#include "metric/read.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

MetricCatalogue metric_catalogue() {
    MetricCatalogue catalogue;
    for (const EmbeddedFile& file : metric_set_files()) {
        catalogue.sets.push_back(parse_metric_set(file.text, fmt::format("{}.toml", file.name)));
    }
    for (const EmbeddedFile& file : architecture_files()) {
        catalogue.architectures.push_back(
            parse_architecture(file.text, fmt::format("{}.toml", file.name)));
    }
    return catalogue;
}

const MetricSet& find_metric_set(const MetricCatalogue& catalogue, std::string_view name) {
    const auto found = std::ranges::find(catalogue.sets, name, &MetricSet::name);
    if (found != catalogue.sets.end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const MetricSet& set : catalogue.sets) {
        names.push_back(set.name);
    }
    const auto meant = nearest(name, names);
    throw Error(fmt::format("there is no metric set '{}'; {}", printable(name),
                            meant ? fmt::format("did you mean '{}'?", *meant)
                                  : "choose one of " + join(names, ", ")),
                ExitCode::usage);
}

std::optional<std::string> gap_of(const MetricCatalogue& catalogue, std::string_view chip,
                                  std::string_view counter) {
    for (const Architecture& architecture : catalogue.architectures) {
        if (std::ranges::find(architecture.chips, chip) == architecture.chips.end()) {
            continue;
        }
        for (const CounterGap& gap : architecture.gaps) {
            if (matches_glob(gap.chips, chip) && matches_glob(gap.counters, counter)) {
                return gap.reason;
            }
        }
    }
    return {};
}

}  // namespace strata
