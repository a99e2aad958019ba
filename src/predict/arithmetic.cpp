// SPDX-License-Identifier: MIT
#include "predict/arithmetic.h"

#include "base/enumeration.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr double rate_of_f16_on_geforce_pascal = 1.0 / 64;

const std::optional<Fact<FlopRate>>& stated_peak(const DeviceDescription& device,
                                                 Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::tf32:
            return device.tf32_peak;
        case Arithmetic::f16:
            return device.f16_peak;
        case Arithmetic::bf16:
            return device.bf16_peak;
        case Arithmetic::f8:
            return device.f8_peak;
        case Arithmetic::i8:
            return device.i8_peak;
        case Arithmetic::f32:
            break;
    }
    return device.f32_peak;
}

// The energy of a floating-point operation at the highest clock, by architecture, in joules.
struct OperationEnergy {
    std::string_view architecture;
    double joules;
};
constexpr std::array operation_energies = {
    OperationEnergy{"pascal", 16e-12},   OperationEnergy{"volta", 14.2e-12},
    OperationEnergy{"turing", 14.2e-12}, OperationEnergy{"ampere", 11.6e-12},
    OperationEnergy{"ada", 6e-12},       OperationEnergy{"hopper", 6e-12},
    OperationEnergy{"blackwell", 6e-12}};

}  // namespace

double sustained_share(const DeviceDescription& device) {
    constexpr double idle = 0.2;
    constexpr double of_wide_processors = 0.75;
    constexpr double wide = 128;
    const auto* const energy =
        std::ranges::find(operation_energies, device.architecture, &OperationEnergy::architecture);
    if (energy == operation_energies.end() || !device.power || !device.lanes) {
        return 1;
    }
    const double drawn = energy->joules * peak_of(device, Arithmetic::f32).value;
    const double clock = std::min(1.0, std::sqrt((1 - idle) * device.power->value.value / drawn));
    const bool is_before_ampere = energy - operation_energies.begin() < 3;
    return clock *
           (!is_before_ampere && device.lanes->value.value >= wide ? of_wide_processors : 1);
}

FlopRate peak_of(const DeviceDescription& device, Arithmetic arithmetic) {
    if (device.kind == DeviceKind::tpu && arithmetic == Arithmetic::f32) {
        arithmetic = Arithmetic::bf16;
    }
    const auto derived =
        derived_f32_peak(device, device.boost_clock ? device.boost_clock : device.base_clock);
    if (arithmetic == Arithmetic::f32 && derived) {
        return *derived;
    }
    if (const auto& stated = stated_peak(device, arithmetic)) {
        return stated->value;
    }
    if (arithmetic == Arithmetic::f16 && device.architecture == "pascal" && derived) {
        return *derived * rate_of_f16_on_geforce_pascal;
    }
    throw Error(arithmetic == Arithmetic::f32
                    ? fmt::format("{} has no lanes, which a prediction of products needs; add "
                                  "them to its description",
                                  device.name)
                    : fmt::format("{} has no {}_peak; add it to its description if it computes "
                                  "in that type",
                                  device.name, name_of(arithmetic)));
}

bool has_matrix_units(const DeviceDescription& device, Arithmetic arithmetic) {
    return arithmetic != Arithmetic::f32 && !multiplies_in_lanes(device);
}

}  // namespace strata
