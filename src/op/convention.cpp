// SPDX-License-Identifier: MIT
#include "op/convention.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// Equation 6 of Dong et al. taken literally: every output sums all exponentials again, N^2
// operations for a row of N.
bool naive_softmax(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto* softmax = std::get_if<Softmax>(&op);
    if (softmax == nullptr || pass != Pass::forward) {
        return false;
    }
    const Tensor& y = signature.outputs[0];
    const auto rank = static_cast<std::int64_t>(y.dims.size());
    const std::int64_t axis = softmax->axis < 0 ? softmax->axis + rank : softmax->axis;
    flops = Flops{static_cast<double>(y.elements()) *
                  static_cast<double>(y.dims[static_cast<std::size_t>(axis)])};
    return true;
}

const std::array<Convention, 4> all_conventions = {{
    {.name = "multiply-add-2",
     .meaning = "A multiply-add counts as two, every other operation as one, bias additions not at "
                "all (Levinthal; Dong et al. 2018; most of the literature)."},
    {.name = "multiply-add-1",
     .meaning = "A multiply-add counts as one, so the number is in MACs (He et al. 2016, who call "
                "them FLOPs).",
     .multiply_add = 1},
    {.name = "dong2018",
     .meaning =
         "Table 1 of Dong et al. 2018: as multiply-add-2, with a softmax of N values counted "
         "as N^2 by their equation 6.",
     .special = naive_softmax},
    {.name = "with-bias",
     .meaning =
         "As multiply-add-2, and each bias addition counts as one (what a counter of executed "
         "operations sees; Levinthal's nvprof tables).",
     .bias_add = 1},
}};

Flops weighted(const Operations& operations, const Convention& weight) {
    return {operations.multiply_adds * weight.multiply_add + operations.adds * weight.add +
            operations.multiplies * weight.multiply + operations.divides * weight.divide +
            operations.compares * weight.compare +
            operations.transcendentals * weight.transcendental +
            operations.bias_adds * weight.bias_add};
}

}  // namespace

std::span<const Convention> conventions() {
    return all_conventions;
}

const Convention& find_convention(std::string_view name) {
    const auto found = std::ranges::find(all_conventions, name, &Convention::name);
    if (found != all_conventions.end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const Convention& convention : all_conventions) {
        names.emplace_back(convention.name);
    }
    const auto meant = nearest(name, names);
    throw Error(
        fmt::format("\"{}\" is not a counting convention; {}", printable(name),
                    meant ? "did you mean \"" + *meant + "\"?" : "use one of " + join(names, ", ")),
        ExitCode::usage);
}

Flops count(const Op& op, const Signature& signature, Pass pass, const Convention& convention,
            const UpdateCost& update) {
    Flops flops;
    if (convention.special != nullptr && convention.special(op, signature, pass, flops)) {
        return flops;
    }
    return weighted(work_of(op, signature, pass, update).operations, convention);
}

}  // namespace strata
