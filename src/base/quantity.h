// SPDX-License-Identifier: MIT
#pragma once

#include <compare>

namespace strata {

// A physical quantity whose unit is part of its type: the exponents of seconds, operations and
// bytes. Flops / FlopRate is Seconds; Flops / Bandwidth has no name, and adding Seconds to Bytes
// does not compile. Counts stay exact up to 2^53.
template <int Time, int Operations, int Data>
struct Quantity {
    double value = 0;

    constexpr auto operator<=>(const Quantity&) const = default;
    constexpr Quantity operator-() const { return {-value}; }
    constexpr Quantity& operator+=(Quantity other) { return value += other.value, *this; }
    constexpr Quantity& operator-=(Quantity other) { return value -= other.value, *this; }
    constexpr Quantity& operator*=(double factor) { return value *= factor, *this; }
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
    friend constexpr Quantity operator*(Quantity a, double factor) { return {a.value * factor}; }
    friend constexpr Quantity operator*(double factor, Quantity a) { return {a.value * factor}; }
    friend constexpr Quantity operator/(Quantity a, double divisor) { return {a.value / divisor}; }
    friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

template <int T1, int O1, int D1, int T2, int O2, int D2>
constexpr Quantity<T1 + T2, O1 + O2, D1 + D2> operator*(Quantity<T1, O1, D1> a,
                                                        Quantity<T2, O2, D2> b) {
    return {a.value * b.value};
}

template <int T1, int O1, int D1, int T2, int O2, int D2>
constexpr Quantity<T1 - T2, O1 - O2, D1 - D2> operator/(Quantity<T1, O1, D1> a,
                                                        Quantity<T2, O2, D2> b) {
    return {a.value / b.value};
}

using Seconds = Quantity<1, 0, 0>;
using Flops = Quantity<0, 1, 0>;  // floating-point operations, a count
using Bytes = Quantity<0, 0, 1>;
using FlopRate = Quantity<-1, 1, 0>;   // operations per second
using Bandwidth = Quantity<-1, 0, 1>;  // bytes per second
using Intensity = Quantity<0, 1, -1>;  // operations per byte

}  // namespace strata
