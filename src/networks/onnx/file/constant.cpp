// SPDX-License-Identifier: MIT
#include "networks/onnx/file/constant.h"

#include "base/error.h"
#include "base/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace strata {

namespace {

std::size_t element_size(const Constant& constant) {
    return static_cast<std::size_t>(size_in_bytes(constant.tensor.dtype));
}

const std::byte* element_of(const Constant& constant, std::int64_t element) {
    const auto index = is_uniform(constant) ? 0 : static_cast<std::size_t>(element);
    return constant.data.bytes.data() + index * element_size(constant);
}

template <class T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Calls `use` with a value of the C++ type for an element type.
template <class Use>
void with_type(DataType dtype, Use&& use) {
    switch (dtype) {
        case DataType::f32:
            return use(float{});
        case DataType::f64:
            return use(double{});
        case DataType::s8:
            return use(std::int8_t{});
        case DataType::u8:
        case DataType::boolean:
            return use(std::uint8_t{});
        case DataType::s32:
            return use(std::int32_t{});
        case DataType::s64:
            return use(std::int64_t{});
        default:
            break;
    }
    check(false, "16-bit floating types, and those that nothing computes with, have no C++ type");
}

// Converts without undefined behaviour: out of range saturates, NaN becomes 0.
template <class To, class From>
To saturated(From value) {
    if constexpr (std::is_floating_point_v<To>) {
        return static_cast<To>(value);
    } else if constexpr (std::is_floating_point_v<From>) {
        constexpr auto low = static_cast<From>(std::numeric_limits<To>::min());
        constexpr auto high = static_cast<From>(std::numeric_limits<To>::max());
        if (std::isnan(value)) {
            return 0;
        }
        return value <= low    ? std::numeric_limits<To>::min()
               : value >= high ? std::numeric_limits<To>::max()
                               : static_cast<To>(value);
    } else {
        return static_cast<To>(std::clamp<From>(value, std::numeric_limits<To>::min(),
                                                std::numeric_limits<To>::max()));
    }
}

// 16-bit floating types have no C++ type, so they are converted through float.
template <class From>
std::vector<std::byte> halved(DataType dtype, std::span<const From> values) {
    std::vector<std::byte> bytes(values.size() * sizeof(std::uint16_t));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<float>(values[i]);
        const std::uint16_t bits =
            dtype == DataType::f16 ? half_of_float(value) : bfloat16_of_float(value);
        std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
    }
    return bytes;
}

template <class From>
Constant converted(Tensor tensor, std::span<const From> values) {
    if (tensor.dtype == DataType::f16 || tensor.dtype == DataType::bf16) {
        auto bytes = halved(tensor.dtype, values);
        return constant_of(std::move(tensor), std::move(bytes));
    }
    std::vector<std::byte> bytes;
    with_type(tensor.dtype, [&]<class To>(To) {
        bytes.resize(values.size() * sizeof(To));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const To value = tensor.dtype == DataType::boolean ? static_cast<To>(values[i] != 0)
                                                               : saturated<To>(values[i]);
            std::memcpy(bytes.data() + i * sizeof(To), &value, sizeof value);
        }
    });
    return constant_of(std::move(tensor), std::move(bytes));
}

}  // namespace

bool is_uniform(const Constant& constant) {
    return constant.data.bytes.size() == element_size(constant);
}

bool is_small(const Dims& dims) {
    return dims.size() <= max_rank && product(dims) <= max_folded_elements &&
           std::ranges::all_of(dims, [](auto extent) { return extent <= max_folded_elements; });
}

void require_sane(const Dims& dims) {
    if (dims.size() > max_rank) {
        throw Error("a shape of " + std::to_string(dims.size()) + " axes has more than " +
                    std::to_string(max_rank) + "; export the model again");
    }
    product(dims);
}

double number_at(const Constant& constant, std::int64_t element) {
    const std::byte* from = element_of(constant, element);
    if (constant.tensor.dtype == DataType::f16) {
        return static_cast<double>(float_of_half(load<std::uint16_t>(from)));
    }
    if (constant.tensor.dtype == DataType::bf16) {
        return static_cast<double>(float_of_bfloat16(load<std::uint16_t>(from)));
    }
    double number = 0;
    with_type(constant.tensor.dtype,
              [&]<class T>(T) { number = static_cast<double>(load<T>(from)); });
    return number;
}

std::int64_t integer_at(const Constant& constant, std::int64_t element) {
    if (is_floating(constant.tensor.dtype)) {
        return saturated<std::int64_t>(number_at(constant, element));
    }
    std::int64_t integer = 0;
    with_type(constant.tensor.dtype, [&]<class T>(T) {
        integer = static_cast<std::int64_t>(load<T>(element_of(constant, element)));
    });
    return integer;
}

std::vector<double> numbers_of(const Constant& constant) {
    std::vector<double> numbers(static_cast<std::size_t>(constant.tensor.elements()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = number_at(constant, static_cast<std::int64_t>(i));
    }
    return numbers;
}

std::vector<std::int64_t> integers_of(const Constant& constant) {
    std::vector<std::int64_t> integers(static_cast<std::size_t>(constant.tensor.elements()));
    for (std::size_t i = 0; i < integers.size(); ++i) {
        integers[i] = integer_at(constant, static_cast<std::int64_t>(i));
    }
    return integers;
}

Constant constant_of(Tensor tensor, std::span<const double> numbers) {
    return converted(std::move(tensor), numbers);
}

Constant constant_of(Tensor tensor, std::span<const std::int64_t> integers) {
    return converted(std::move(tensor), integers);
}

Constant constant_of(Tensor tensor, std::vector<std::byte> bytes) {
    const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return {std::move(tensor), {.bytes = *owner, .owner = owner}};
}

Constant reshaped(Constant constant, Dims dims) {
    check(product(dims) == constant.tensor.elements(), "a reshape keeps the number of elements");
    constant.tensor.dims = std::move(dims);
    return constant;
}

namespace {

// Copies elements in the order of `dims`, stepping through the source by `steps`.
std::vector<std::byte> gathered(const Constant& from, const Dims& dims, const Dims& steps) {
    const std::size_t size = element_size(from);
    std::vector<std::byte> bytes(from.data.bytes.size());
    Dims index(dims.size(), 0);
    std::int64_t source = 0;
    for (std::size_t to = 0; to < bytes.size(); to += size) {
        std::memcpy(bytes.data() + to, element_of(from, source), size);
        for (std::size_t axis = dims.size(); axis-- > 0;) {  // the next index, like an odometer
            source += steps[axis];
            if (++index[axis] < dims[axis]) {
                break;
            }
            source -= steps[axis] * dims[axis];
            index[axis] = 0;
        }
    }
    return bytes;
}

}  // namespace

Constant transposed(const Constant& constant, std::span<const std::int64_t> permutation) {
    Dims dims;
    for (const std::int64_t axis : permutation) {
        dims.push_back(constant.tensor.dims[static_cast<std::size_t>(axis)]);
    }
    Tensor tensor{dims, constant.tensor.dtype};
    if (is_uniform(constant) || constant.tensor.elements() == 0) {
        return {std::move(tensor), constant.data};
    }
    const Dims strides = strides_of(constant.tensor.dims);
    Dims steps;
    for (const std::int64_t axis : permutation) {
        steps.push_back(strides[static_cast<std::size_t>(axis)]);
    }
    return constant_of(std::move(tensor), gathered(constant, dims, steps));
}

Constant turned(Constant matrix) {
    check(matrix.tensor.dims.size() == 2 && matrix.data.order == MatrixOrder::row_major,
          "a matrix is turned once");
    std::swap(matrix.tensor.dims[0], matrix.tensor.dims[1]);
    if (!is_uniform(matrix)) {
        matrix.data.order = MatrixOrder::column_major;
    }
    return matrix;
}

Constant picked(const Constant& from, Dims dims, std::span<const std::int64_t> elements) {
    const auto size = static_cast<std::size_t>(size_in_bytes(from.tensor.dtype));
    std::vector<std::byte> bytes(elements.size() * size);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto element = is_uniform(from) ? 0 : static_cast<std::size_t>(elements[i]);
        std::memcpy(bytes.data() + i * size, from.data.bytes.data() + element * size, size);
    }
    return constant_of({std::move(dims), from.tensor.dtype}, std::move(bytes));
}

Constant picked_along(const Constant& from, std::size_t axis,
                      std::span<const std::int64_t> positions, Dims dims) {
    const Dims& all = from.tensor.dims;
    const std::int64_t rows = product(dims) == 0 ? 0 : product(std::span(all).first(axis));
    const std::int64_t along = all[axis];
    const std::int64_t size = product(std::span(all).subspan(axis + 1));
    std::vector<std::int64_t> elements;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (const std::int64_t position : positions) {
            for (std::int64_t i = 0; i < size; ++i) {
                elements.push_back((row * along + position) * size + i);
            }
        }
    }
    return picked(from, std::move(dims), elements);
}

std::optional<Dims> broadcast_dims(std::span<const Dims> shapes) {
    std::size_t rank = 0;
    for (const Dims& shape : shapes) {
        rank = std::max(rank, shape.size());
    }
    Dims common(rank, 1);
    for (const Dims& shape : shapes) {
        const std::size_t missing = rank - shape.size();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            std::int64_t& extent = common[missing + i];
            if (extent != shape[i] && extent != 1 && shape[i] != 1) {
                return std::nullopt;
            }
            extent = extent == 1 ? shape[i] : extent;
        }
    }
    return common;
}

std::vector<std::int64_t> broadcast_elements(const Dims& from, const Dims& to) {
    std::vector<std::int64_t> elements(static_cast<std::size_t>(product(to)));
    if (elements.empty()) {
        return elements;
    }
    Dims steps(to.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        const std::int64_t extent = from[from.size() - i];
        steps[to.size() - i] = extent == 1 ? 0 : stride;
        stride *= extent;
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
        auto rest = static_cast<std::int64_t>(i);
        for (std::size_t axis = to.size(); axis-- > 0;) {
            elements[i] += rest % to[axis] * steps[axis];
            rest /= to[axis];
        }
    }
    return elements;
}

}  // namespace strata
