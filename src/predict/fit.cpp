// SPDX-License-Identifier: MIT
#include "predict/fit.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr int most_iterations = 80;
constexpr int most_dampings = 8;
constexpr double difference = 1e-4;    // of a logarithm, for derivatives
constexpr double longest_step = 0.7;   // of a logarithm: a factor of two
constexpr double exact_enough = 0.02;  // errors below it weigh alike
constexpr double worth_a_step = 1e-5;  // of the sum that a step makes smaller

// The model in logarithms of its parameters.
class LogModel {
public:
    LogModel(std::span<const FitParameter> parameters, std::span<const double> measured,
             const std::function<void(std::span<double>)>& predict)
        : parameters_(parameters),
          measured_(measured),
          predict_(predict),
          times_(measured.size()) {}

    Eigen::VectorXd begin() const {
        Eigen::VectorXd at(static_cast<Eigen::Index>(parameters_.size()));
        for (Eigen::Index i = 0; i < at.size(); ++i) {
            at[i] = std::log(*parameters_[static_cast<std::size_t>(i)].value);
        }
        return at;
    }

    Eigen::VectorXd pulls() const {
        Eigen::VectorXd pulls(static_cast<Eigen::Index>(parameters_.size()));
        for (Eigen::Index i = 0; i < pulls.size(); ++i) {
            pulls[i] = parameters_[static_cast<std::size_t>(i)].pull;
        }
        return pulls;
    }

    void set(const Eigen::VectorXd& at) const {
        for (Eigen::Index i = 0; i < at.size(); ++i) {
            *parameters_[static_cast<std::size_t>(i)].value = std::exp(at[i]);
        }
    }

    // ln(predicted / measured) of each row.
    Eigen::VectorXd errors(const Eigen::VectorXd& at) {
        set(at);
        predict_(times_);
        Eigen::VectorXd errors(static_cast<Eigen::Index>(times_.size()));
        for (std::size_t i = 0; i < times_.size(); ++i) {
            errors[static_cast<Eigen::Index>(i)] = std::log(times_[i] / measured_[i]);
        }
        return errors;
    }

    Eigen::MatrixXd derivatives(const Eigen::VectorXd& at, const Eigen::VectorXd& errors_there) {
        Eigen::MatrixXd derivatives(errors_there.size(), at.size());
        for (Eigen::Index i = 0; i < at.size(); ++i) {
            Eigen::VectorXd moved = at;
            moved[i] += difference;
            derivatives.col(i) = (errors(moved) - errors_there) / difference;
        }
        return derivatives;
    }

private:
    std::span<const FitParameter> parameters_;
    std::span<const double> measured_;
    const std::function<void(std::span<double>)>& predict_;
    std::vector<double> times_;
};

}  // namespace

void fit(std::span<const FitParameter> parameters, std::span<const double> measured,
         const std::function<void(std::span<double> predicted)>& predict) {
    LogModel model(parameters, measured, predict);
    const Eigen::VectorXd begin = model.begin();
    const Eigen::VectorXd pulls = model.pulls();
    const auto cost = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& errors) {
        return errors.lpNorm<1>() + pulls.dot((at - begin).cwiseAbs2());
    };
    Eigen::VectorXd at = begin;
    Eigen::VectorXd errors = model.errors(at);
    double lowest = cost(at, errors);
    double damping = 1e-2;
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
        const Eigen::VectorXd weights = errors.cwiseAbs().cwiseMax(exact_enough).cwiseInverse();
        const Eigen::MatrixXd slopes = model.derivatives(at, errors);
        const Eigen::MatrixXd curvature = slopes.transpose() * weights.asDiagonal() * slopes;
        const Eigen::VectorXd gradient =
            slopes.transpose() * weights.cwiseProduct(errors) + 2 * pulls.cwiseProduct(at - begin);
        bool is_better = false;
        for (int trial = 0; trial < most_dampings && !is_better; ++trial) {
            Eigen::MatrixXd damped = curvature;
            damped.diagonal() += 2 * pulls + damping * curvature.diagonal() +
                                 Eigen::VectorXd::Constant(at.size(), 1e-9);
            const Eigen::VectorXd step =
                (-damped.ldlt().solve(gradient)).cwiseMax(-longest_step).cwiseMin(longest_step);
            const Eigen::VectorXd tried = at + step;
            const Eigen::VectorXd there = model.errors(tried);
            const double found = cost(tried, there);
            is_better = std::isfinite(found) && found < lowest * (1 - worth_a_step);
            damping *= is_better ? 0.4 : 4;
            if (is_better) {
                at = tried;
                errors = there;
                lowest = found;
            }
        }
        if (!is_better) {
            break;
        }
    }
    model.set(at);
}

}  // namespace strata
