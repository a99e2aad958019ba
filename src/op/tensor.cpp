// SPDX-License-Identifier: MIT
#include "op/tensor.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// One entry per type, in the order of the enumeration.
constexpr std::array<std::int64_t, names_of(DataType{}).size()> data_type_bits = {
    32, 64, 16, 16, 8, 8, 32, 64, 8, 16, 16, 32, 64, 4, 4, 2, 2, 8, 8, 8, 8, 8, 4};

std::int64_t bits_of(DataType dtype) {
    return data_type_bits.at(static_cast<std::size_t>(dtype));
}

constexpr std::array<std::string_view, 6> role_names = {"input",     "label",     "activation",
                                                        "parameter", "statistic", "constant"};

}  // namespace

std::string_view name_of(DataType dtype) {
    return names_of(dtype).at(static_cast<std::size_t>(dtype));
}

DataType parse_data_type(std::string_view name) {
    constexpr auto names = names_of(DataType{});
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        throw Error(fmt::format("\"{}\" is not a data type; use one of {}", printable(name),
                                fmt::join(names, ", ")),
                    ExitCode::usage);
    }
    return static_cast<DataType>(found - names.begin());
}

std::int64_t size_in_bytes(DataType dtype) {
    return (bits_of(dtype) + 7) / 8;
}

bool is_floating(DataType dtype) {
    return dtype == DataType::f32 || dtype == DataType::f64 || dtype == DataType::f16 ||
           dtype == DataType::bf16;
}

bool is_integer(DataType dtype) {
    return !is_floating(dtype) && dtype != DataType::boolean && dtype < DataType::f8e4m3fn;
}

bool is_computed(DataType dtype) {
    return dtype <= DataType::boolean;
}

std::int64_t product(std::span<const std::int64_t> dims) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : dims) {
        if (extent < 0) {
            throw Error(fmt::format("shape {} has a negative extent; every extent must be known",
                                    to_text(dims)));
        }
        if (extent > max_elements / std::max<std::int64_t>(elements, 1)) {
            throw Error(fmt::format("shape {} has more than 2^59 elements; make it smaller",
                                    to_text(dims)));
        }
        elements *= extent;
    }
    return elements;
}

Dims strides_of(std::span<const std::int64_t> dims) {
    if (product(dims) == 0) {
        return Dims(dims.size(), 0);
    }
    Dims strides(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * dims[axis];
    }
    return strides;
}

std::string to_text(std::span<const std::int64_t> dims) {
    return dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, "x"));
}

Dims parse_dims(std::string_view text) {
    if (text == "scalar") {
        return {};
    }
    Dims dims;
    for (const auto part : split(text, 'x')) {
        const auto extent = parse_integer(part);
        if (!extent) {
            throw Error(
                fmt::format("\"{}\" is not a shape; write extents like 32x3x224x224, or "
                            "\"scalar\"",
                            printable(text)));
        }
        dims.push_back(*extent);
    }
    return dims;
}

Bytes Tensor::bytes() const {
    const std::int64_t bits = bits_of(dtype);
    return {static_cast<double>(bits < 8 ? (elements() * bits + 7) / 8 : elements() * (bits / 8))};
}

std::string_view name_of(Role role) {
    return role_names.at(static_cast<std::size_t>(role));
}

std::optional<Role> parse_role(std::string_view name) {
    const auto found = std::ranges::find(role_names, name);
    if (found == role_names.end()) {
        return std::nullopt;
    }
    return static_cast<Role>(found - role_names.begin());
}

}  // namespace strata
