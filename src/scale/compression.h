// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// How gradients are sent. `one_bit`: the sign of each value (Seide et al. 2014); `top_k`: the
// hundredth with the largest magnitudes, each with its place (Lin et al. 2018).
enum class Compression { none, bf16, f16, one_bit, top_k };
inline constexpr std::array<std::string_view, 5> names_of(Compression) {
    return {"none", "bf16", "f16", "1-bit", "top-k"};
}

// Whether what a step's code loses is added to the next step's gradients.
enum class ErrorFeedback { off, on };

// Gradients of one rank as they are sent, and the sum over ranks of what was received. Keeps what
// its codes lost; of one list of gradients, always of the same length.
class GradientCode {
public:
    GradientCode(Compression compression, std::size_t values,
                 ErrorFeedback feedback = ErrorFeedback::on);

    // Bytes of one rank's code: of one_bit, a bit for each value and the mean of the values of
    // either sign; of top_k, four bytes for each value and four for its place.
    std::size_t bytes() const { return code_.size(); }

    // Of these, what only names the scale.
    std::size_t scale_bytes() const;

    // Requires: as many values as it was made for.
    std::span<const std::byte> encode(std::span<const float> gradients);

    // Adds up the codes of all ranks, one behind the other.
    void decode_sum(std::span<const std::byte> codes, std::span<float> sum) const;

private:
    void encode_signs(std::span<const float> values);
    void encode_largest(std::span<const float> values);
    void add_code(std::span<const std::byte> code, std::span<float> sum) const;
    std::size_t kept() const;  // values that top_k sends

    Compression compression_;
    std::size_t count_;
    ErrorFeedback feedback_;
    std::vector<float> lost_;  // empty: nothing is fed back
    std::vector<std::byte> code_;
};

}  // namespace strata
