// SPDX-License-Identifier: MIT
#include "metric/formula.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <vector>

namespace strata {

namespace {

using Kind = FormulaStep::Kind;

constexpr std::size_t longest_formula = 4096;
constexpr int deepest_bracket = 64;

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool begins_name(char c) {
    return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool continues_name(char c) {
    return begins_name(c) || is_digit(c) || c == '.';
}

// sum = product {("+" | "-") product}; product = factor {("*" | "/") factor};
// factor = "-" factor | number | counter | "(" sum ")".
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    std::vector<FormulaStep> parse() {
        if (text_.size() > longest_formula) {
            refuse("is too long");
        }
        sum();
        if (skip_blanks(); at_ < text_.size()) {
            refuse("has text after its end");
        }
        return std::move(steps_);
    }

private:
    [[noreturn]] void refuse(const char* what) const {
        throw Error(
            fmt::format("the formula \"{}\" {}, at character {}", printable(text_), what, at_ + 1));
    }

    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }

    // The next non-blank character, 0 at the end.
    char next() {
        skip_blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char wanted) {
        const bool is_there = next() == wanted;
        at_ += is_there ? 1U : 0U;
        return is_there;
    }

    void sum() {
        product();
        while (next() == '+' || next() == '-') {
            const Kind kind = take('+') ? Kind::add : (take('-'), Kind::subtract);
            product();
            steps_.push_back({.kind = kind});
        }
    }

    void product() {
        factor();
        while (next() == '*' || next() == '/') {
            const Kind kind = take('*') ? Kind::multiply : (take('/'), Kind::divide);
            factor();
            steps_.push_back({.kind = kind});
        }
    }

    void factor() {
        if (++depth_ > deepest_bracket) {
            refuse("has too many nested brackets");
        }
        if (take('-')) {
            factor();
            steps_.push_back({.kind = Kind::negate});
        } else if (take('(')) {
            sum();
            if (!take(')')) {
                refuse("lacks a closing bracket");
            }
        } else {
            operand();
        }
        --depth_;
    }

    void operand() {
        if (is_digit(next())) {
            number();
        } else if (begins_name(next())) {
            steps_.push_back({.kind = Kind::counter, .counter = std::string(run(continues_name))});
        } else {
            refuse("lacks a number or the name of a counter");
        }
    }

    void number() {
        const auto is_part = [this](char c) {
            const bool is_sign = (c == '-' || c == '+') && at_ > 0 && text_[at_ - 1] == 'e';
            return is_digit(c) || c == '.' || c == 'e' || is_sign;
        };
        const auto value = parse_number(run(is_part));
        if (!value) {
            refuse("has an invalid number");
        }
        steps_.push_back({.kind = Kind::number, .number = *value});
    }

    template <class IsPart>
    std::string_view run(IsPart is_part) {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_part(text_[at_])) {
            ++at_;
        }
        return text_.substr(begin, at_ - begin);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::vector<FormulaStep> steps_;
};

// The steps of a formula in postfix order. Throws Error that names the place.
std::vector<FormulaStep> parse_formula(std::string_view text) {
    return Parser(text).parse();
}

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

// The operands waiting for their operator.
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
