// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "device/description.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// What a framework makes one kernel of.
enum class LayerFusion {
    nothing,
    elementwise,  // chains of elementwise operators and normalisations (elementwise_chains)
    products,     // what follows a convolution or a fully connected layer (graph/fuse.h)
};
inline constexpr std::array<std::string_view, 3> names_of(LayerFusion) {
    return {"nothing", "elementwise", "products"};
}

// A time on hosts of two eras, named after the devices that they feed: of a V100 or T4, and of an
// A100 and later.
struct HostTimes {
    Seconds volta, ampere;
};

// A framework on a GPU's host: an entry of data/frameworks.toml, which says where its numbers come
// from.
struct Framework {
    std::string name;
    std::string meaning;
    LayerFusion fusion = LayerFusion::nothing;
    std::optional<HostTimes> pass = {};  // of a layer; nothing: not known, and left out
    std::optional<HostTimes> cast = {};  // to narrow a layer's weights in each pass; nothing: none
    bool infers_only = false;            // no training was measured
    std::string unknown = {};            // what no measured time says

    // The time on the host of this device. Nothing before Volta: nothing was measured there.
    static std::optional<Seconds> on_host_of(const DeviceDescription& device,
                                             const std::optional<HostTimes>& times);
};

// The file data/frameworks.toml.
std::span<const EmbeddedFile> framework_files();

// THE list of frameworks; the first is what predictions assume.
std::span<const Framework> frameworks();
std::span<const std::string_view> framework_names();

// Throws Error that names the known ones.
const Framework& framework_called(std::string_view name);

// "pytorch: PyTorch, eager; its host needs 40 µs for a pass of a layer", and what is not known.
std::string framework_sentence(const Framework& framework, const DeviceDescription& device);

}  // namespace strata
