// SPDX-License-Identifier: MIT
#include "record/provenance.h"

#include "record/build.h"
#include "record/commit.h"

namespace strata {

std::string_view strata_version() {
    return build::version;
}

std::string_view strata_commit() {
    return build::commit;
}

std::map<std::string, std::string> build_provenance() {
    return {{"strata.version", build::version},
            {"strata.commit", build::commit},
            {"build.type", build::type},
            {"build.compiler", build::compiler},
            {"build.flags", build::flags},
            {"fmt.version", build::fmt},
            {"sqlite.version", build::sqlite},
            {"tomlplusplus.version", build::tomlplusplus},
            {"nlohmann_json.version", build::nlohmann_json}};
}

}  // namespace strata
