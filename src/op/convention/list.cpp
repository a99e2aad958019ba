// SPDX-License-Identifier: MIT
#include "op/convention.h"

#include "base/error.h"
#include "base/text.h"
#include "op/convention/executed.h"
#include "op/convention/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// Common to all counts that hardware counters see: bias additions count, comparisons do not.
constexpr Convention executed(std::string_view name, std::string_view meaning,
                              decltype(Convention::special) special) {
    return {.name = name, .meaning = meaning, .compare = 0, .bias_add = 1, .special = special};
}

constexpr std::array all_conventions = {
    Convention{.name = "multiply-add-2",
               .meaning =
                   "A multiply-add counts as two, every other operation as one, bias additions "
                   "not at all (Levinthal; Dong et al. 2018; most of the literature)."},
    Convention{.name = "multiply-add-1",
               .meaning = "A multiply-add counts as one, so the number is in MACs (He et al. 2016, "
                          "who call them FLOPs).",
               .multiply_add = 1},
    Convention{.name = "products",
               .meaning = "The multiply-adds of convolutions and matrix products, as two each, and "
                          "nothing else (ParaDnn; tables of the Transformer).",
               .special = products_only},
    Convention{.name = "dong2018",
               .meaning =
                   "Table 1 of Dong et al. 2018: as multiply-add-2, with a softmax of N values "
                   "counted as N^2 by their equation 6.",
               .special = naive_softmax},
    Convention{.name = "levinthal",
               .meaning =
                   "Levinthal's analytic table, forward: a convolution as (2 K^2 + 1) Cin Ho Wo "
                   "Cout + Cin Ho Wo, a pooling as its window for each output, everything else as "
                   "multiply-add-2.",
               .special = levinthal_table},
    Convention{.name = "levinthal-resnet",
               .meaning = "Levinthal's table of ResNets, forward: a convolution as (2 K^2 + 1) Cin "
                          "Ho Wo Cout, everything else as multiply-add-2.",
               .special = levinthal_resnet},
    Convention{.name = "with-bias",
               .meaning = "As multiply-add-2, and each bias addition counts as one (what hardware "
                          "counters see; Levinthal's nvprof tables).",
               .bias_add = 1},
    Convention{.name = "taps-without-padding",
               .meaning = "As multiply-add-2, without a convolution's taps in the padding (the "
                          "direct bars of Kim et al. 2017, Fig. 9c).",
               .special = taps_without_padding},
    Convention{.name = "winograd-domain",
               .meaning =
                   "As multiply-add-2, but a forward convolution of 3x3 or 5x5 as the products of "
                   "Winograd's F(4x4,KxK) without the transforms (the Winograd bars of "
                   "Kim et al. 2017, Fig. 9c).",
               .special = winograd_domain},
    Convention{.name = "fft-domain",
               .meaning =
                   "As multiply-add-2, but a forward convolution of stride 1 as the products of "
                   "its Fourier transforms without the transforms (the FFT bars of Kim et al. "
                   "2017, Fig. 9c).",
               .special = fft_domain},
    executed("executed-gemm",
             "What cuDNN's GEMM executes forward: tiles of 128x64x4, padded, with biases and "
             "without comparisons (Levinthal's measured conv1 and conv2, fc6 and fc7).",
             executed_gemm),
    executed("executed-gemm-64",
             "The same in tiles of 64 rows (Levinthal's measured convolution of 4x4).",
             executed_gemm_64),
    executed(
        "executed-sgemm",
        "What cuBLAS's sgemm executes for fully connected layers, products and recurrent cells: "
        "tiles of 128x128, padded, and one more operation for each output (the LSTM's kernels "
        "of Levinthal).",
        executed_sgemm),
    executed("executed-winograd",
             "The same with cuDNN's Winograd F(2x2,3x3) for each convolution it can compute "
             "(Levinthal's measured conv3, conv4 and conv5).",
             executed_winograd),
};

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
