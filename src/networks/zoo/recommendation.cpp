// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/chain.h"
#include "networks/zoo/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

TensorId embedded(GraphBuilder& build, const std::string& name, TensorId number, std::int64_t rows,
                  std::int64_t width) {
    return build.add(name, Embedding{.rows = rows, .width = width}, {number});
}

TensorId dense(GraphBuilder& build, const std::string& name, TensorId x, std::int64_t units) {
    x = build.add(name, FullyConnected{units}, {x});
    return build.add(name + ".relu", Activation{}, {x});
}

TensorId perceptron(GraphBuilder& build, const std::string& name, TensorId x,
                    std::initializer_list<std::int64_t> layers) {
    std::int64_t number = 0;
    for (const std::int64_t units : layers) {
        x = dense(build, fmt::format("{}{}", name, ++number), x, units);
    }
    return x;
}

// The number of values of each of the 26 categories in the Criteo Kaggle advertising data.
constexpr std::array<std::int64_t, 26> categories = {
    1460, 583,   10131227, 2202608, 305,  24,   12517, 633,     3,  93145, 5683,   8351593, 3194,
    27,   14992, 5461306,  10,      5652, 2173, 4,     7046547, 18, 15,    286181, 105,     142572};

// The lower triangle of [batch, n, n] without its diagonal, as [batch, n (n - 1) / 2].
TensorId lower_triangle(GraphBuilder& build, TensorId products, std::int64_t n) {
    const auto places = std::make_shared<std::vector<std::int64_t>>();
    for (std::int64_t row = 1; row < n; ++row) {
        for (std::int64_t column = 0; column < row; ++column) {
            places->push_back(row * n + column);
        }
    }
    const auto count = static_cast<std::int64_t>(places->size());
    const TensorId indices = build.constant("pairs", {{count}, DataType::s64}, Role::constant,
                                            TensorData{std::as_bytes(std::span(*places)), places});
    const TensorId flat = build.add("interaction.flat", Reshape{.dims = {0, n * n}}, {products});
    return build.add("interaction.pairs", Gather{.axis = 1}, {flat, indices});
}

}  // namespace

Graph ncf(std::int64_t batch) {
    constexpr std::int64_t users = 138493, films = 26744, factors = 64, width = 128;
    GraphBuilder build("ncf");
    const TensorId user = numbers(build, "users", {batch});
    const TensorId film = numbers(build, "items", {batch});
    const TensorId product = build.add("mf", Elementwise{.kind = ElementwiseKind::multiply},
                                       {embedded(build, "mf.user", user, users, factors),
                                        embedded(build, "mf.item", film, films, factors)});
    const TensorId both = build.add("mlp", Concat{},
                                    {embedded(build, "mlp.user", user, users, width),
                                     embedded(build, "mlp.item", film, films, width)});
    const TensorId deep = perceptron(build, "mlp", both, {256, 128, 64});
    const TensorId joined = build.add("joined", Concat{}, {product, deep});
    return with_loss(build, build.add("score", FullyConnected{2}, {joined}));
}

Graph dlrm(std::int64_t batch) {
    constexpr std::int64_t width = 128, max_rows = 100000, features = 13;
    GraphBuilder build("dlrm");
    const TensorId numbers_in = build.input("dense", {{positive_batch(batch), features}});
    const TensorId bottom = perceptron(build, "bottom", numbers_in, {512, 256, width});
    std::vector<TensorId> vectors = {bottom};
    for (std::size_t i = 0; i < categories.size(); ++i) {
        const TensorId number = numbers(build, fmt::format("category{}", i), {batch});
        vectors.push_back(embedded(build, fmt::format("embedding{}", i), number,
                                   std::min(categories[i], max_rows), width));
    }
    const auto count = static_cast<std::int64_t>(vectors.size());
    const TensorId side_by_side = build.add("vectors", Concat{}, vectors);
    const TensorId stacked =
        build.add("stacked", Reshape{.dims = {0, count, width}}, {side_by_side});
    const TensorId products =
        build.add("interaction", MatMul{.transpose_b = true}, {stacked, stacked});
    const TensorId joined =
        build.add("joined", Concat{}, {bottom, lower_triangle(build, products, count)});
    const TensorId top = perceptron(build, "top", joined, {1024, 1024, 512, 256});
    return with_loss(build, build.add("score", FullyConnected{2}, {top}));
}

}  // namespace strata
