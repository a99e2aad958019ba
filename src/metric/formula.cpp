// SPDX-License-Identifier: MIT
#include "metric/formula.h"

#include "base/error.h"
#include "metric/formula_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

using Kind = FormulaStep::Kind;

MetricValue value_of(const std::string& counter, const CounterValues& values) {
    const auto found = values.find(counter);
    return found != values.end() ? found->second
                                 : NoValue{fmt::format("{} was not counted", counter)};
}

MetricValue finite(double value) {
    return std::isfinite(value) ? MetricValue(value) : NoValue{"it is not finite"};
}

MetricValue combined(Kind kind, double left, double right) {
    switch (kind) {
        case Kind::add:
            return finite(left + right);
        case Kind::subtract:
            return finite(left - right);
        case Kind::multiply:
            return finite(left * right);
        default:
            return right == 0 ? MetricValue(NoValue{"its divisor is 0"}) : finite(left / right);
    }
}

MetricValue combined(Kind kind, const MetricValue& left, const MetricValue& right) {
    const auto* first = std::get_if<double>(&left);
    const auto* second = std::get_if<double>(&right);
    if (first == nullptr) {
        return left;
    }
    return second == nullptr ? right : combined(kind, *first, *second);
}

MetricValue negated(const MetricValue& value) {
    const auto* number = std::get_if<double>(&value);
    return number == nullptr ? value : MetricValue(-*number);
}

// The operands that wait for their operator.
class Operands {
public:
    template <class Value>
    void push(Value&& value) {
        waiting_.emplace_back(std::forward<Value>(value));
    }
    MetricValue pop() {
        check(!waiting_.empty(), "a parsed formula has an operand for each operator");
        MetricValue value = std::move(waiting_.back());
        waiting_.pop_back();
        return value;
    }

private:
    std::vector<MetricValue> waiting_;
};

}  // namespace

MetricFormula MetricFormula::parse(std::string_view text) {
    MetricFormula formula;
    formula.text_ = text;
    formula.steps_ = parse_formula(text);
    return formula;
}

std::vector<std::string> MetricFormula::counters() const {
    std::vector<std::string> names;
    for (const FormulaStep& step : steps_) {
        if (step.kind == Kind::counter && std::ranges::find(names, step.counter) == names.end()) {
            names.push_back(step.counter);
        }
    }
    return names;
}

MetricValue MetricFormula::evaluate(const CounterValues& values) const {
    Operands operands;
    for (const FormulaStep& step : steps_) {
        if (step.kind == Kind::number) {
            operands.push(step.number);
        } else if (step.kind == Kind::counter) {
            operands.push(value_of(step.counter, values));
        } else if (step.kind == Kind::negate) {
            operands.push(negated(operands.pop()));
        } else {
            const MetricValue right = operands.pop();
            const MetricValue left = operands.pop();
            operands.push(combined(step.kind, left, right));
        }
    }
    return operands.pop();
}

}  // namespace strata
