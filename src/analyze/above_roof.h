// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "measure/doubt.h"
#include "measure/statistics.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Why a step can be faster than a ceiling allows. `unexplained`: no known cause, so the ceiling is
// lower than the machine can reach.
enum class AboveRoof { saves_arithmetic, may_save_arithmetic, served_by_caches, unexplained };
inline constexpr std::array<std::string_view, 4> names_of(AboveRoof) {
    return {"saves-arithmetic", "may-save-arithmetic", "served-by-caches", "unexplained"};
}

// A step that exceeds a ceiling by more than `tolerated_excess`.
struct RoofExcess {
    std::size_t step = 0;  // its index in Run::steps
    std::string ceiling;   // "f32 peak", "DRAM bandwidth"
    double ratio = 1;      // the step's rate over the ceiling's
    AboveRoof reason = AboveRoof::unexplained;
};
// The roofs that the run's measured steps exceed, by their medians; none without ceilings.
//   arithmetic: Winograd and FFT execute fewer operations than counted, and a library that does not
//     say which algorithm it takes for a convolution may use them.
//   main memory: caches can keep data from one step to the next, at the step's beginning and
//     at its end. Traffic less twice the size of the last cache goes through main memory.
//   a cache: the nearer ones can serve it likewise.
// An excess is unexplained only if it remains at the slow end of the time's interval.
std::vector<RoofExcess> roof_excesses(const Run& run);

// A sentence that the run exceeds its ceilings, naming the worst step and the calibration that
// helps. Nothing if all is explained.
std::optional<Doubt> stale_ceilings_doubt(const Run& run);

// A sentence that the run's ceilings were not reproduced when they were measured.
std::optional<Doubt> doubtful_ceilings_doubt(const Run& run);

// One sentence for each reason why steps exceed 100 % of a ceiling or a roof:
//   "conv2 forward and conv3 forward are above the f32 peak: Winograd and FFT execute fewer
//    operations than are counted."
std::vector<std::string> roof_sentences(const Run& run);

}  // namespace strata
