// SPDX-License-Identifier: MIT
#include "analyze/regression.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <boost/math/distributions/students_t.hpp>

#include <cmath>

namespace strata {

namespace {

using Column = Eigen::VectorXd;

struct Feature {
    std::string name;
    Column values;
};

// Centres and scales in place; false if all values are the same.
bool standardise(Column& values) {
    values.array() -= values.mean();
    const double deviation = std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
    // (The rounding of the mean leaves residues of equal values.)
    if (!(deviation > 1e-12 * std::max(1.0, values.cwiseAbs().maxCoeff()))) {
        return false;
    }
    values /= deviation;
    return true;
}

Column scaled_feature(const std::string& name, const std::vector<double>& values,
                      FeatureScale scale) {
    Column column =
        Eigen::Map<const Column>(values.data(), static_cast<Eigen::Index>(values.size()));
    if (scale == FeatureScale::log2) {
        if (!(column.minCoeff() > 0)) {
            throw Error(
                fmt::format(
                    "{} is not positive everywhere: its logarithm cannot be a feature; omit --log2",
                    printable(name)),
                ExitCode::usage);
        }
        column = (column.array().log() / std::log(2.0)).matrix();
    }
    return column;
}

void add_second_order(std::vector<Feature>& features) {
    const std::size_t first_order = features.size();
    for (std::size_t i = 0; i < first_order; ++i) {
        for (std::size_t j = i; j < first_order; ++j) {
            Feature product{
                i == j ? features[i].name + "^2" : features[i].name + " x " + features[j].name,
                features[i].values.cwiseProduct(features[j].values)};
            // (The square of a feature with two values is constant.)
            if (standardise(product.values)) {
                features.push_back(std::move(product));
            }
        }
    }
}

std::vector<Feature> features_of(const RegressionData& data, const RegressionOptions& options,
                                 std::vector<std::string>& constant) {
    std::vector<Feature> features;
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        Feature feature{data.names[i],
                        scaled_feature(data.names[i], data.columns[i], options.scale)};
        if (standardise(feature.values)) {
            features.push_back(std::move(feature));
        } else {
            constant.push_back(feature.name);
        }
    }
    if (options.order > 1) {
        add_second_order(features);
    }
    return features;
}

void require_enough(std::size_t points, std::size_t features) {
    if (features == 0 || points < features + 2) {
        throw Error(fmt::format("{} runs that differ in {} numbers are too few for a regression: "
                                "select more, or name fewer with --on",
                                points, features),
                    ExitCode::usage);
    }
}

}  // namespace

Regression regress(const RegressionData& data, const RegressionOptions& options) {
    Regression found{.count = data.target.size()};
    require_enough(found.count, data.names.size());
    const std::vector<Feature> features = features_of(data, options, found.constant);
    require_enough(found.count, features.size());
    const auto rows = static_cast<Eigen::Index>(found.count);
    const auto columns = static_cast<Eigen::Index>(features.size());
    Column target = Eigen::Map<const Column>(data.target.data(), rows);
    if (!standardise(target)) {
        throw Error("the metric is the same in all runs: choose another --metric", ExitCode::usage);
    }
    Eigen::MatrixXd matrix(rows, columns);
    for (Eigen::Index i = 0; i < columns; ++i) {
        matrix.col(i) = features[static_cast<std::size_t>(i)].values;
    }
    const Eigen::MatrixXd normal = matrix.transpose() * matrix / static_cast<double>(rows);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> rank(normal);
    if (rank.rank() < columns) {
        throw Error(
            "some hyperparameters depend on others in these runs: name those that matter with --on",
            ExitCode::usage);
    }
    const Eigen::LDLT<Eigen::MatrixXd> factors(normal);
    const Column weights = factors.solve(matrix.transpose() * target / static_cast<double>(rows));
    const double unexplained = (target - matrix * weights).squaredNorm();
    found.r_squared = 1 - unexplained / static_cast<double>(rows);
    const auto freedom = static_cast<double>(rows - columns - 1);
    const double variance = unexplained / freedom / static_cast<double>(rows);
    const Eigen::MatrixXd inverse = factors.solve(Eigen::MatrixXd::Identity(columns, columns));
    const double t = boost::math::quantile(boost::math::students_t(freedom), 0.975);
    for (Eigen::Index i = 0; i < columns; ++i) {
        const double error = t * std::sqrt(variance * inverse(i, i));
        found.terms.push_back({features[static_cast<std::size_t>(i)].name,
                               weights(i),
                               {weights(i) - error, weights(i) + error}});
    }
    return found;
}

}  // namespace strata
