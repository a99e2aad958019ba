// SPDX-License-Identifier: MIT
#include "view/kernels.h"

#include "base/enumeration.h"
#include "base/text.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string origin_of(const KernelSet& set) {
    return set.source.empty()
               ? std::string(name_of(set.origin))
               : fmt::format("{} from {}", name_of(set.origin), printable(set.source));
}

std::string keys_sentence(const KeyCount& count) {
    const std::string told = count.keys == count.kernels ? std::string("all of them")
                                                         : fmt::format("{} of them", count.keys);
    return fmt::format("Device, batch, full name and invocation identify {}; {}.", told,
                       count.name_keys == count.keys
                           ? std::string("bare names would too")
                           : fmt::format("bare names would only {}", count.name_keys));
}

}  // namespace

Document kernels_document(const KernelSet& set, const KeyCount& count, Table census, Table shared) {
    return {.title = fmt::format("kernels of {}", printable(set.network)),
            .blocks = {Paragraph{fmt::format("{} kernels of {}, {}: kernel set {}.", count.kernels,
                                             printable(set.network), origin_of(set), set.id)},
                       Paragraph{keys_sentence(count)}, std::move(census), std::move(shared)},
            .kind = "import"};
}

}  // namespace strata
