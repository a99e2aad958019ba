// SPDX-License-Identifier: MIT
#pragma once

#include "view/compared_sides.h"

#include <string>
#include <vector>

namespace strata {

// A framework with its defaults, and with each of its settings changed alone.
struct StudiedFramework {
    std::string backend;

    struct Studied {
        std::string setting;  // "layout"; empty: the defaults
        std::string value;
        ComparedSide side = {};
    };
    std::vector<Studied> sides = {};  // the first has the defaults
};

// What the settings that frameworks leave to their users gain on this machine (Kim et al. 2017,
// figure 7), each compared with the default of its framework:
//
//   backend  setting               value     end to end     over default        verdict
//   onednn   default                         112 ± 1 ms
//   onednn   algorithm             winograd  104 ± 1 ms     0.93 (0.92-0.94)    faster
//   pytorch  default                         147 ± 1 ms
//   pytorch  layout                nhwc      131 ± 1 ms     0.89 (0.88-0.90)    faster
//   jax      default                         — (JAX is not there: run scripts/peers)
Document framework_study_document(const std::string& network, std::int64_t batch,
                                  const std::vector<StudiedFramework>& frameworks,
                                  const ComparisonRules& rules);

}  // namespace strata
