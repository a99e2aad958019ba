// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/reduction_loops.h"
#include "backend/cpu/kernels/vector_math.h"
#include "base/enumeration.h"
#include "tests/backend/cpu/kernels/numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace strata::cpu {
namespace {

using testing::at;
using testing::drawn;

double statistic(ReductionKind kind, const std::vector<double>& terms) {
    const auto sum = [&](const std::function<double(double)>& of) {
        double total = 0;
        for (const double term : terms) {
            total += of(term);
        }
        return total;
    };
    switch (kind) {
        case ReductionKind::sum:
            return sum([](double x) { return x; });
        case ReductionKind::mean:
            return sum([](double x) { return x; }) / static_cast<double>(terms.size());
        case ReductionKind::maximum:
            return *std::ranges::max_element(terms);
        case ReductionKind::minimum:
            return *std::ranges::min_element(terms);
        case ReductionKind::product:
            return std::exp(sum([](double x) { return std::log(x); }));
        case ReductionKind::sum_of_squares:
            return sum([](double x) { return x * x; });
        case ReductionKind::l1:
            return sum([](double x) { return std::abs(x); });
        case ReductionKind::l2:
            return std::sqrt(sum([](double x) { return x * x; }));
        case ReductionKind::log_sum:
            return std::log(sum([](double x) { return x; }));
        case ReductionKind::log_sum_exp:
            return std::log(sum([](double x) { return std::exp(x); }));
    }
    return 0;
}

// A tensor and which of its axes are reduced.
struct Reduced {
    Dims whole;
    Dims kept;
};
const std::vector<Reduced> reductions = {{{7, 33}, {7, 1}},
                                         {{33, 7}, {1, 7}},
                                         {{3, 5, 4, 19}, {3, 1, 4, 1}},
                                         {{3, 5, 4, 19}, {1, 5, 1, 19}},
                                         {{2, 3, 4}, {1, 1, 1}},
                                         {{1, 70000}, {1, 1}},
                                         {{6}, {6}}};

// The result that each term belongs to.
std::vector<std::size_t> result_of_terms(const Reduced& shape, std::size_t count) {
    std::vector<std::size_t> found(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t rest = i, result = 0, step = 1;
        for (std::size_t axis = shape.whole.size(); axis-- > 0;) {
            const auto extent = static_cast<std::size_t>(shape.whole[axis]);
            result += shape.kept[axis] > 1 ? rest % extent * step : 0;
            step *= shape.kept[axis] > 1 ? extent : 1;
            rest /= extent;
        }
        found[i] = result;
    }
    return found;
}

std::vector<ReductionKind> every_kind() {
    std::vector<ReductionKind> kinds;
    for (std::size_t i = 0; i < names_of(ReductionKind{}).size(); ++i) {
        kinds.push_back(static_cast<ReductionKind>(i));
    }
    return kinds;
}

class EachReduction : public ::testing::TestWithParam<ReductionKind> {};
INSTANTIATE_TEST_SUITE_P(Each, EachReduction, ::testing::ValuesIn(every_kind()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(EachReduction, IsThatOfDoublePrecisionAlongAnyAxes) {
    for (const Reduced& shape : reductions) {
        const ReductionPlan plan(shape.whole, shape.kept);
        const std::int64_t count = plan.terms() * plan.results();
        const bool is_product = GetParam() == ReductionKind::product;
        const auto x = drawn(count, is_product ? 0.9F : 0.1F, is_product ? 1.1F : 2);
        std::vector<float> y(at(plan.results()));
        reduce(GetParam(), plan, x.data(), y.data());
        const auto results = result_of_terms(shape, x.size());
        std::vector<std::vector<double>> terms(y.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            terms[results[i]].push_back(double{x[i]});
        }
        for (std::size_t r = 0; r < y.size(); ++r) {
            const double expected = statistic(GetParam(), terms[r]);
            const double allowed = is_product && plan.terms() > 1000 ? 1e-3 : 2e-5;
            EXPECT_NEAR(y[r], expected, allowed * std::max(1e-3, std::abs(expected)))
                << plan.terms() << " terms, result " << r;
        }
    }
}

TEST_P(EachReduction, TheGradientIsTheSlopeOfTheStatistic) {
    const Reduced shape{{3, 4, 5}, {3, 1, 5}};
    const ReductionPlan plan(shape.whole, shape.kept);
    const auto x = drawn(60, 0.5F, 1.5F);
    const auto dy = drawn(15, 0.5F, 1, 3);
    std::vector<float> y(15), dx(60);
    reduce(GetParam(), plan, x.data(), y.data());
    reduce_gradient(GetParam(), plan, x.data(), y.data(), dy.data(), dx.data());
    const auto results = result_of_terms(shape, 60);
    for (std::size_t i = 0; i < 60; ++i) {
        std::vector<double> terms;
        std::size_t place = 0;
        for (std::size_t j = 0; j < 60; ++j) {
            if (results[j] == results[i]) {
                place = j == i ? terms.size() : place;
                terms.push_back(double{x[j]});
            }
        }
        constexpr double step = 1e-6;
        auto more = terms, less = terms;
        more[place] += step;
        less[place] -= step;
        const double slope =
            (statistic(GetParam(), more) - statistic(GetParam(), less)) / (2 * step);
        EXPECT_NEAR(dx[i], slope * double{dy[results[i]]}, 2e-4) << i;
    }
}

TEST(Reduction, OfEqualExtremesTheFirstGetsTheGradient) {
    const ReductionPlan plan({4}, {1});
    const std::vector<float> x = {1, 3, 3, 1}, y = {3}, dy = {2};
    std::vector<float> dx(4, 9);
    reduce_gradient(ReductionKind::maximum, plan, x.data(), y.data(), dy.data(), dx.data());
    EXPECT_EQ(dx, (std::vector<float>{0, 2, 0, 0}));
}

TEST(VectorMath, IsAsAccurateAsItsCommentsSay) {
    for (float x = -86; x < 88; x += 0.0173F) {
        EXPECT_NEAR(exponential(x) / std::exp(double{x}), 1, 2.4e-7) << x;
        EXPECT_NEAR(hyperbolic_tangent(x / 8), std::tanh(double{x} / 8), 2e-7) << x;
        EXPECT_NEAR(logistic(x), 1 / (1 + std::exp(-double{x})), 2e-7) << x;
    }
    for (const float base : {1e-30F, 0.3F, 0.999F, 1.0F, 1.4142135F, 7.0F, 3e20F}) {
        for (const float power : {-1.5F, -0.5F, 0.0F, 0.75F, 1.0F, 1.7F}) {
            const double exact = std::pow(double{base}, double{power});
            if (exact > 1e-37 && exact < 3e38) {
                EXPECT_NEAR(power_of_positive(base, power) / exact, 1, 1.2e-7)
                    << base << "^" << power;
            }
        }
    }
}

}  // namespace
}  // namespace strata::cpu
