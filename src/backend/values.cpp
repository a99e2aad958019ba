// SPDX-License-Identifier: MIT
#include "backend/inputs.h"

#include "base/error.h"
#include "base/half.h"
#include "base/text.h"

#include <algorithm>
#include <cstring>

namespace strata {

namespace {

template <class Stored>
float from_number(Stored value) {
    return static_cast<float>(value);
}

// The bytes of a file need not be aligned, so each element is copied before it is read.
template <class Stored, class Convert>
HostValues converted(std::span<const std::byte> bytes, Convert&& convert) {
    HostValues values(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        values[i] = convert(stored);
    }
    return values;
}

template <class Stored>
HostValues numbers(std::span<const std::byte> bytes) {
    return converted<Stored>(bytes, from_number<Stored>);
}

HostValues convert(DataType dtype, std::span<const std::byte> bytes) {
    switch (dtype) {
        case DataType::f32:
            return numbers<float>(bytes);
        case DataType::f64:
            return numbers<double>(bytes);
        case DataType::f16:
            return converted<std::uint16_t>(bytes, float_of_half);
        case DataType::bf16:
            return converted<std::uint16_t>(bytes, float_of_bfloat16);
        case DataType::s8:
            return numbers<std::int8_t>(bytes);
        case DataType::u8:
            return numbers<std::uint8_t>(bytes);
        case DataType::s32:
            return numbers<std::int32_t>(bytes);
        case DataType::s64:
            return numbers<std::int64_t>(bytes);
        case DataType::boolean:
            return converted<std::uint8_t>(bytes, [](std::uint8_t b) { return b ? 1.0F : 0.0F; });
        default:
            check(false, "nothing computes with other element types");
            return {};
    }
}

// Converts a column-major matrix to row-major, in blocks, so that both stay in the cache.
HostValues row_by_row(const HostValues& columns, const Dims& dims) {
    constexpr std::size_t block = 32;
    const auto height = static_cast<std::size_t>(dims[0]);
    const auto width = static_cast<std::size_t>(dims[1]);
    HostValues rows(columns.size());
    for (std::size_t top = 0; top < height; top += block) {
        for (std::size_t column = 0; column < width; ++column) {
            for (std::size_t row = top; row < std::min(top + block, height); ++row) {
                rows[row * width + column] = columns[column * height + row];
            }
        }
    }
    return rows;
}

HostValues all_values(const Tensor& tensor, const TensorData& data) {
    HostValues values = convert(tensor.dtype, data.bytes);
    if (data.order == MatrixOrder::row_major) {
        return values;
    }
    check(tensor.dims.size() == 2, "only a matrix lies column by column");
    return row_by_row(values, tensor.dims);
}

}  // namespace

HostValues values_of(const GraphTensor& tensor) {
    check(tensor.data.has_value(), "only a tensor that carries data has values of its own");
    if (!is_computed(tensor.tensor.dtype)) {  // only opaque layers read it, and none of them runs
        return HostValues(static_cast<std::size_t>(tensor.tensor.elements()));
    }
    const std::size_t given = tensor.data->bytes.size();
    const auto needed = static_cast<std::size_t>(tensor.tensor.elements()) *
                        static_cast<std::size_t>(size_in_bytes(tensor.tensor.dtype));
    if (given == static_cast<std::size_t>(size_in_bytes(tensor.tensor.dtype))) {
        const float each = convert(tensor.tensor.dtype, tensor.data->bytes).front();
        return HostValues(static_cast<std::size_t>(tensor.tensor.elements()), each);
    }
    if (given != needed) {
        throw Error("tensor '" + printable(tensor.name) + "' carries " + std::to_string(given) +
                    " bytes where its shape " + to_text(tensor.tensor.dims) + " of " +
                    std::string(name_of(tensor.tensor.dtype)) + " needs " + std::to_string(needed) +
                    "; repair or export the file again");
    }
    return all_values(tensor.tensor, *tensor.data);
}

}  // namespace strata
