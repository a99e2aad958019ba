// SPDX-License-Identifier: MIT
#include "cli/backends.h"

#include "backend/module.h"
#include "backend/reference/reference.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr std::array entries = {
    BackendEntry{"onednn", "this CPU through oneDNN: the fast engine",
                 [] { return open_backend_module("onednn"); }},
    BackendEntry{"cuda", "an NVIDIA GPU through cuDNN, cuBLASLt and kernels of strata's own",
                 [] { return open_backend_module("cuda"); }},
    BackendEntry{"reference", "plain loops with double accumulation: slow, the definition of right",
                 [] { return make_reference_backend(); }},
};

}  // namespace

std::span<const BackendEntry> backends() {
    return entries;
}

const BackendEntry& find_backend(std::string_view name) {
    const auto found = std::ranges::find(entries, name, &BackendEntry::name);
    if (found != entries.end()) {
        return *found;
    }
    std::vector<std::string> names;
    std::ranges::transform(entries, std::back_inserter(names),
                           [](const BackendEntry& entry) { return std::string(entry.name); });
    throw Error(fmt::format("there is no backend '{}': choose one of {}", printable(name),
                            join(names, ", ")),
                ExitCode::usage);
}

}  // namespace strata
