// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata::cuda {

namespace {

constexpr std::uint32_t first_dated = 130000;

// The toolkits of the serial numbers, from cupti_version.h.
struct Serial {
    std::uint32_t number;
    const char* toolkit;
};
constexpr std::array serials = {
    Serial{19, "12.0"}, Serial{20, "12.2"}, Serial{21, "12.3"},
    Serial{22, "12.4"}, Serial{23, "12.5"}, Serial{24, "12.6"},
    Serial{26, "12.8"}, Serial{27, "12.9"}, Serial{28, "12.9 update 1"}};

std::uint32_t major_of(std::uint32_t version) {
    return version >= first_dated ? version / 10000 : version >= serials.front().number ? 12 : 11;
}

// Larger in a later minor version, equal in its updates.
std::uint32_t minor_of(std::uint32_t version) {
    if (version >= first_dated) {
        return version / 100 % 100;
    }
    return version == 28 ? 27 : version;
}

}  // namespace

std::string cupti_version_text(std::uint32_t version) {
    if (version >= first_dated) {
        const std::uint32_t update = version % 100;
        return fmt::format("{}.{}{}", major_of(version), minor_of(version),
                           update == 0 ? "" : fmt::format(" update {}", update));
    }
    const auto* found = std::ranges::find(serials, version, &Serial::number);
    return found == serials.end() ? fmt::format("number {}", version) : found->toolkit;
}

CuptiCompatibility compatibility_of(std::uint32_t running, std::uint32_t built_with) {
    if (major_of(running) != major_of(built_with) || minor_of(running) < minor_of(built_with)) {
        return {.refusal =
                    fmt::format("CUPTI of CUDA {} is loaded, and strata was built with that of "
                                "CUDA {}",
                                cupti_version_text(running), cupti_version_text(built_with))};
    }
    if (running == first_dated) {
        return {.warning =
                    "CUPTI of CUDA 13.0 can deadlock when recording ends and crash when it "
                    "hands over its records; install update 1 of CUDA 13.0 or later."};
    }
    return {};
}

}  // namespace strata::cuda
