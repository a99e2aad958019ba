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
constexpr double exact_enough = 0.02;  // smaller errors weigh alike
constexpr double worth_a_step = 1e-5;  // relative decrease of the sum
constexpr int most_sweeps = 8;         // that move one parameter at a time
constexpr int iterations_between_sweeps = 4;
constexpr double worth_a_sweep = 2e-3;

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

    // ln(predicted / measured) for each row.
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

// The present state of a fit.
struct FitState {
    Eigen::VectorXd at;
    Eigen::VectorXd errors;
    double cost = 0;
};

class Fit {
public:
    explicit Fit(LogModel& model) : model_(model), begin_(model.begin()), pulls_(model.pulls()) {
        state_ = state_at(begin_);
    }

    void step_along_slopes(int iterations) {
        double damping = 1e-2;
        for (int iteration = 0; iteration < iterations; ++iteration) {
            const Eigen::VectorXd& at = state_.at;
            const Eigen::VectorXd& errors = state_.errors;
            const Eigen::VectorXd weights = errors.cwiseAbs().cwiseMax(exact_enough).cwiseInverse();
            const Eigen::MatrixXd slopes = model_.derivatives(at, errors);
            const Eigen::MatrixXd curvature = slopes.transpose() * weights.asDiagonal() * slopes;
            const Eigen::VectorXd gradient = slopes.transpose() * weights.cwiseProduct(errors) +
                                             2 * pulls_.cwiseProduct(at - begin_);
            bool is_better = false;
            for (int trial = 0; trial < most_dampings && !is_better; ++trial) {
                Eigen::MatrixXd damped = curvature;
                damped.diagonal() += 2 * pulls_ + damping * curvature.diagonal() +
                                     Eigen::VectorXd::Constant(at.size(), 1e-9);
                const Eigen::VectorXd step =
                    (-damped.ldlt().solve(gradient)).cwiseMax(-longest_step).cwiseMin(longest_step);
                is_better = moves_to(at + step);
                damping *= is_better ? 0.4 : 4;
            }
            if (!is_better) {
                break;
            }
        }
    }

    // Moves each parameter up or down by its step; the step grows with success.
    void move_singly(Eigen::VectorXd& steps) {
        for (Eigen::Index i = 0; i < steps.size(); ++i) {
            const auto moved = [&](double by) {
                Eigen::VectorXd tried = state_.at;
                tried[i] += by;
                return moves_to(tried);
            };
            const bool is_better = moved(steps[i]) || moved(-steps[i]);
            steps[i] = std::min(longest_step, steps[i] * (is_better ? 1.5 : 0.4));
        }
    }

    Eigen::VectorXd first_steps() const { return Eigen::VectorXd::Constant(begin_.size(), 0.3); }
    double cost() const { return state_.cost; }
    void finish() const { model_.set(state_.at); }

private:
    FitState state_at(const Eigen::VectorXd& at) {
        FitState found{at, model_.errors(at)};
        found.cost = found.errors.lpNorm<1>() + pulls_.dot((at - begin_).cwiseAbs2());
        return found;
    }

    // Moves there if the sum becomes noticeably smaller.
    bool moves_to(const Eigen::VectorXd& tried) {
        FitState there = state_at(tried);
        const bool is_better =
            std::isfinite(there.cost) && there.cost < state_.cost * (1 - worth_a_step);
        if (is_better) {
            state_ = std::move(there);
        }
        return is_better;
    }

    LogModel& model_;
    Eigen::VectorXd begin_, pulls_;
    FitState state_;
};

}  // namespace

void fit(std::span<const FitParameter> parameters, std::span<const double> measured,
         const std::function<void(std::span<double> predicted)>& predict, FitSearch search) {
    LogModel model(parameters, measured, predict);
    Fit fit(model);
    fit.step_along_slopes(most_iterations);
    if (search == FitSearch::slopes_and_single_moves) {
        Eigen::VectorXd steps = fit.first_steps();
        double before = 0;
        int sweep = 0;
        do {
            before = fit.cost();
            fit.move_singly(steps);
            fit.step_along_slopes(iterations_between_sweeps);
        } while (++sweep < most_sweeps && fit.cost() < before * (1 - worth_a_sweep));
    }
    fit.finish();
}

}  // namespace strata
