// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// Why a value is missing: the chip has no such counter, or it could not be counted this
// time.
enum class Absence { not_on_chip, not_counted };

// A missing value with its reason. It is never 0.
struct NoValue {
    std::string reason = {};
    Absence absence = Absence::not_counted;

    bool operator==(const NoValue&) const = default;
};

// The value of a counter or of a formula of counters.
using MetricValue = std::variant<double, NoValue>;

// Values of the chip's own counters, by name.
using CounterValues = std::map<std::string, MetricValue, std::less<>>;

// One step of a formula in postfix order.
struct FormulaStep {
    enum class Kind { number, counter, add, subtract, multiply, divide, negate };
    Kind kind = Kind::number;
    double number = 0;         // for Kind::number
    std::string counter = {};  // for Kind::counter

    bool operator==(const FormulaStep&) const = default;
};

// A value computed from a chip's counters: sums, products and quotients of their names and of
// numbers,
//
//   100 * lts__t_sectors_op_read_lookup_hit.sum / lts__t_sectors_op_read.sum
//
// with brackets and the usual precedence. If a counter has no value, neither has the formula, for
// the same reason; the same goes for a divisor of 0.
class MetricFormula {
public:
    // Throws Error, naming the place in the text and what is wrong there.
    static MetricFormula parse(std::string_view text);

    // The names of the counters, each once, in the order of the text.
    std::vector<std::string> counters() const;

    MetricValue evaluate(const CounterValues& values) const;

    const std::string& text() const { return text_; }

private:
    std::string text_;
    std::vector<FormulaStep> steps_;
};

}  // namespace strata
