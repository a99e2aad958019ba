// SPDX-License-Identifier: MIT
#include "op/work.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace strata {

namespace {

constexpr std::array<std::string_view, 4> pass_names = {"forward", "backward_data",
                                                        "backward_weights", "update"};

}  // namespace

std::string_view name_of(Pass pass) {
    return pass_names.at(static_cast<std::size_t>(pass));
}

Pass parse_pass(std::string_view name) {
    std::string spelt(name);
    std::ranges::replace(spelt, '-', '_');
    const auto found = std::ranges::find(pass_names, spelt);
    if (found == pass_names.end()) {
        throw Error(fmt::format("\"{}\" is not a pass; use one of {}", printable(name),
                                fmt::join(pass_names, ", ")),
                    ExitCode::usage);
    }
    return static_cast<Pass>(found - pass_names.begin());
}

Operations& Operations::operator+=(const Operations& other) {
    multiply_adds += other.multiply_adds;
    adds += other.adds;
    multiplies += other.multiplies;
    divides += other.divides;
    compares += other.compares;
    transcendentals += other.transcendentals;
    bias_adds += other.bias_adds;
    return *this;
}

Operations& Operations::operator*=(double factor) {
    multiply_adds *= factor;
    adds *= factor;
    multiplies *= factor;
    divides *= factor;
    compares *= factor;
    transcendentals *= factor;
    bias_adds *= factor;
    return *this;
}

Work& Work::operator+=(const Work& other) {
    operations += other.operations;
    read += other.read;
    written += other.written;
    return *this;
}

}  // namespace strata
