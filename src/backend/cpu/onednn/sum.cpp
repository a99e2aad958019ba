// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/lowering.h"
#include "backend/cpu/onednn/view_calls.h"

namespace strata::cpu {

// In f32 by loops over all of memory, because for padded blocks the library's sum uses its
// reference implementation, which is a hundred times slower.
Lowering::Work Lowering::sum_of(const std::vector<TensorView>& terms, const TensorView& sum) {
    if (type_of(sum.desc) == ElementType::f32) {
        return {{"strata:loops", text_of(sum.desc)},
                {},
                {sum_call(terms, sum, stored_elements_of(sum.desc))}};
    }
    const auto described = describe_sum(context_, sum.desc, std::vector<float>(terms.size(), 1.0F),
                                        std::vector<Desc>(terms.size(), sum.desc));
    Arguments arguments = {{DNNL_ARG_DST, sum}};
    for (std::size_t i = 0; i < terms.size(); ++i) {
        arguments.emplace_back(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), terms[i]);
    }
    return {{described.impl_info_str(), text_of(sum.desc)},
            scratchpad_of(described),
            {call<dnnl::sum>(described, std::move(arguments))}};
}

}  // namespace strata::cpu
