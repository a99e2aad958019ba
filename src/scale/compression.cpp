// SPDX-License-Identifier: MIT
#include "scale/compression.h"

#include "base/error.h"
#include "base/half.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace strata {

namespace {

constexpr std::size_t one_in = 100;  // of top_k

// What the code of signs begins with: the values that stand for a set and an unset bit.
struct SignScales {
    float positive = 0;
    float negative = 0;
};

// What top_k sends of a value.
struct PlacedValue {
    std::uint32_t place = 0;
    float value = 0;
};

template <class Value>
Value value_at(std::span<const std::byte> bytes, std::size_t place) {
    Value value;
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
}

template <class Value>
void set_at(std::span<std::byte> bytes, std::size_t place, const Value& value) {
    std::memcpy(bytes.data() + place, &value, sizeof value);
}

bool bit_at(std::span<const std::byte> bits, std::size_t place) {
    return (bits[place / 8] & (std::byte{1} << (place % 8))) != std::byte{};
}

SignScales scales_of(std::span<const float> values) {
    double sums[2] = {}, counts[2] = {};
    for (const float value : values) {
        sums[value < 0] += value;
        ++counts[value < 0];
    }
    const auto mean = [&](int sign) {
        return counts[sign] > 0 ? static_cast<float>(sums[sign] / counts[sign]) : 0.0F;
    };
    return {mean(0), mean(1)};
}

}  // namespace

GradientCode::GradientCode(Compression compression, std::size_t values, ErrorFeedback feedback)
    : compression_(compression), count_(values), feedback_(feedback) {
    check(values > 0 && values <= std::uint32_t(-1), "a code has values that 32 bits count");
    if (feedback == ErrorFeedback::on &&
        (compression == Compression::one_bit || compression == Compression::top_k)) {
        lost_.resize(values);
    }
    switch (compression) {
        case Compression::none:
            code_.resize(values * sizeof(float));
            break;
        case Compression::bf16:
        case Compression::f16:
            code_.resize(values * sizeof(std::uint16_t));
            break;
        case Compression::one_bit:
            code_.resize(sizeof(SignScales) + (values + 7) / 8);
            break;
        case Compression::top_k:
            code_.resize(kept() * sizeof(PlacedValue));
            break;
    }
}

std::size_t GradientCode::kept() const {
    return std::max<std::size_t>(count_ / one_in, 1);
}

std::size_t GradientCode::scale_bytes() const {
    return compression_ == Compression::one_bit ? sizeof(SignScales) : 0;
}

std::span<const std::byte> GradientCode::encode(std::span<const float> gradients) {
    check(gradients.size() == count_, "a code is for so many gradients");
    std::vector<float> with_lost;
    std::span<const float> values = gradients;
    if (!lost_.empty()) {
        with_lost.assign(gradients.begin(), gradients.end());
        for (std::size_t i = 0; i < count_; ++i) {
            with_lost[i] += lost_[i];
        }
        values = with_lost;
    }
    for (std::size_t i = 0; i < count_; ++i) {
        if (compression_ == Compression::bf16) {
            set_at(code_, 2 * i, bfloat16_of_float(values[i]));
        } else if (compression_ == Compression::f16) {
            set_at(code_, 2 * i, half_of_float(values[i]));
        }
    }
    if (compression_ == Compression::none) {
        std::memcpy(code_.data(), values.data(), code_.size());
    } else if (compression_ == Compression::one_bit) {
        encode_signs(values);
    } else if (compression_ == Compression::top_k) {
        encode_largest(values);
    }
    if (!lost_.empty()) {
        std::vector<float> sent(count_);
        add_code(code_, sent);
        for (std::size_t i = 0; i < count_; ++i) {
            lost_[i] = values[i] - sent[i];
        }
    }
    return code_;
}

void GradientCode::encode_signs(std::span<const float> values) {
    std::ranges::fill(code_, std::byte{});
    set_at(code_, 0, scales_of(values));
    const std::span<std::byte> bits = std::span(code_).subspan(sizeof(SignScales));
    for (std::size_t i = 0; i < count_; ++i) {
        if (!(values[i] < 0)) {
            bits[i / 8] |= std::byte{1} << (i % 8);
        }
    }
}

void GradientCode::encode_largest(std::span<const float> values) {
    std::vector<std::uint32_t> places(count_);
    std::iota(places.begin(), places.end(), 0U);
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(kept());
    std::ranges::nth_element(places, end - 1, std::greater<>(),
                             [&](std::uint32_t place) { return std::abs(values[place]); });
    std::sort(places.begin(), end);
    for (std::size_t i = 0; i < kept(); ++i) {
        set_at(code_, i * sizeof(PlacedValue), PlacedValue{places[i], values[places[i]]});
    }
}

void GradientCode::add_code(std::span<const std::byte> code, std::span<float> sum) const {
    switch (compression_) {
        case Compression::none:
            for (std::size_t i = 0; i < count_; ++i) {
                sum[i] += value_at<float>(code, i * sizeof(float));
            }
            break;
        case Compression::bf16:
            for (std::size_t i = 0; i < count_; ++i) {
                sum[i] += float_of_bfloat16(value_at<std::uint16_t>(code, 2 * i));
            }
            break;
        case Compression::f16:
            for (std::size_t i = 0; i < count_; ++i) {
                sum[i] += float_of_half(value_at<std::uint16_t>(code, 2 * i));
            }
            break;
        case Compression::one_bit: {
            const auto scales = value_at<SignScales>(code, 0);
            const auto bits = code.subspan(sizeof(SignScales));
            for (std::size_t i = 0; i < count_; ++i) {
                sum[i] += bit_at(bits, i) ? scales.positive : scales.negative;
            }
            break;
        }
        case Compression::top_k:
            for (std::size_t i = 0; i < kept(); ++i) {
                const auto one = value_at<PlacedValue>(code, i * sizeof(PlacedValue));
                check(one.place < count_, "a sent value has a place");
                sum[one.place] += one.value;
            }
            break;
    }
}

void GradientCode::decode_sum(std::span<const std::byte> codes, std::span<float> sum) const {
    check(sum.size() == count_ && codes.size() % bytes() == 0, "codes of all ranks are whole");
    std::ranges::fill(sum, 0.0F);
    for (std::size_t at = 0; at < codes.size(); at += bytes()) {
        add_code(codes.subspan(at, bytes()), sum);
    }
}

}  // namespace strata
