// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace strata {

// A tensor whose values are known before anything runs: an initializer, or the result of shape
// arithmetic. Its data hold either every element or one element that all are equal to, so a
// ConstantOfShape of gigabytes costs nothing.
struct Constant {
    Tensor tensor;
    TensorData data;
};

// The limit on elements that are computed one by one, per node and in total. Attention masks stay
// below it, shape arithmetic is far smaller, and a hostile file cannot make the import slow. The
// few elements of shapes are always computed.
inline constexpr std::int64_t max_folded_elements = 1024 * 1024;
inline constexpr std::int64_t max_folded_elements_in_all = 64 * max_folded_elements;
inline constexpr std::int64_t max_folded_bytes_in_all = std::int64_t{512} << 20;
inline constexpr std::int64_t always_folded_elements = 64;
inline constexpr std::size_t max_rank = 64;  // NumPy's

bool is_uniform(const Constant& constant);

// Whether it is small enough to fold: few elements, few axes and no long axis. The limits on axes
// keep a loop over an empty tensor short.
bool is_small(const Dims& dims);

// Throws Error if the number of elements overflows or there are more axes than any network has.
void require_sane(const Dims& dims);

// One element; integers are exact, floating types go through double.
double number_at(const Constant& constant, std::int64_t element);
std::int64_t integer_at(const Constant& constant, std::int64_t element);

// All elements. Requires: at most max_folded_elements.
std::vector<double> numbers_of(const Constant& constant);
std::vector<std::int64_t> integers_of(const Constant& constant);

// A constant with its own memory; values are converted to the element type (saturating).
Constant constant_of(Tensor tensor, std::span<const double> numbers);
Constant constant_of(Tensor tensor, std::span<const std::int64_t> integers);

// A constant that takes ownership of memory. Requires: the bytes of all elements or of one.
Constant constant_of(Tensor tensor, std::vector<std::byte> bytes);

// The same values in other extents, or axes permuted (axis i is axis permutation[i] of the given
// one; a copy unless all elements are equal). Requires: the same number of elements, a permutation.
Constant reshaped(Constant constant, Dims dims);
Constant transposed(const Constant& constant, std::span<const std::int64_t> permutation);

// The transpose of a matrix for an operand, without moving elements: its data are column-major.
// Requires: a matrix; nothing is computed with the result.
Constant turned(Constant matrix);

// The elements of a constant with these indices.
Constant picked(const Constant& from, Dims dims, std::span<const std::int64_t> elements);

// Positions along one axis, in order; the other axes are kept whole. `dims` is the result's shape.
Constant picked_along(const Constant& from, std::size_t axis,
                      std::span<const std::int64_t> positions, Dims dims);

// Calls use(index) for every index of a tensor, row-major. Requires: few elements.
template <class Use>
void for_each_index(const Dims& dims, Use&& use) {
    Dims index(dims.size(), 0);
    for (std::int64_t left = product(dims); left > 0; --left) {
        use(std::as_const(index));
        for (std::size_t axis = dims.size(); axis-- > 0 && ++index[axis] == dims[axis];) {
            index[axis] = 0;
        }
    }
}

// The extents that shapes broadcast to by NumPy's rule; nothing if they do not fit.
std::optional<Dims> broadcast_dims(std::span<const Dims> shapes);

// For each element of a tensor with extents `to`, the source element in a tensor with extents
// `from` that is broadcast to it. Requires: `from` broadcasts to `to`, which has few elements.
std::vector<std::int64_t> broadcast_elements(const Dims& from, const Dims& to);

}  // namespace strata
