// SPDX-License-Identifier: MIT
#include "networks/dnnmark.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/builder.h"
#include "networks/dnnmark/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_map>

namespace strata {

namespace {

// The layer that a section describes. Shapes are given only if the operator has no shape rule.
struct Meaning {
    Op op;
    std::optional<Tensor> result = {};
    bool flattens = false;  // works on whole images
};

Dims dims_of(const std::array<std::int64_t, 2>& pair) {
    return {pair[0], pair[1]};
}

Convolution plain_convolution(DnnMarkSection& section) {
    Convolution op = {.out_channels = section.integer("num_output", 32),
                      .kernel = dims_of(section.pair("kernel_size", 5)),
                      .stride = dims_of(section.pair("stride", 1)),
                      .pad_begin = dims_of(section.pair("pad", 2)),
                      .bias = false};
    op.pad_end = op.pad_begin;
    return op;
}

// The result of a transposed convolution: (extent - 1) * stride - 2 * pad + kernel.
Tensor transposed_result(DnnMarkSection& section, const Convolution& op, const Tensor& input) {
    if (input.dims.size() != 4) {
        section.refuse("previous_layer", "a convolution needs an image; give it another layer");
    }
    Tensor result = input;
    result.dims[1] = op.out_channels;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        std::int64_t& extent = result.dims[2 + axis];
        extent = (extent - 1) * op.stride[axis] - 2 * op.pad_begin[axis] + op.kernel[axis];
        if (extent < 1) {
            section.refuse("pad", "the padding leaves nothing of the result; make it smaller");
        }
    }
    return result;
}

Meaning convolution_meaning(DnnMarkSection& section, const Tensor& input) {
    section.ignore({"algo", "algod", "propagation", "conv_fwd_pref", "conv_bwd_filter_pref",
                    "conv_bwd_data_pref"});
    const Convolution op = plain_convolution(section);
    const bool transposed =
        section.choice("conv_mode", {"cross_correlation", "convolution", "transpose"}) == 2;
    if (!transposed) {
        return {op};
    }
    return {Opaque{"transposed_convolution", "transposed convolutions are not supported"},
            transposed_result(section, op, input)};
}

Meaning pooling(DnnMarkSection& section, const Tensor&) {
    const auto mode =
        section.choice("pool_mode", {"max", "avg_include_padding", "avg_exclude_padding", "avg"});
    Pooling op = {.kind = mode == 0 ? PoolingKind::max : PoolingKind::average,
                  .kernel = dims_of(section.pair("kernel_size", 3)),
                  .stride = dims_of(section.pair("stride", 2)),
                  .pad_begin = dims_of(section.pair("pad", 0)),
                  .ceil_mode = true,
                  .count_include_pad = mode == 1};
    op.pad_end = op.pad_begin;
    return {op};
}

Meaning lrn(DnnMarkSection& section, const Tensor& input) {
    const Lrn op = {.size = section.integer("local_size", 5),
                    .alpha = section.number("alpha", 1e-4),
                    .beta = section.number("beta", 0.75),
                    .k = section.number("k", 2)};
    if (section.choice("lrn_mode", {"cross_channel_dim1", "within_channel"}) == 0) {
        return {op};
    }
    return {Opaque{"within_channel_lrn", "only LRN across channels is supported"}, input};
}

Meaning activation(DnnMarkSection& section, const Tensor&) {
    constexpr double ceiling = 6;
    const std::array<Activation, 5> modes = {{{.kind = ActivationKind::relu},
                                              {.kind = ActivationKind::sigmoid},
                                              {.kind = ActivationKind::tanh},
                                              {.kind = ActivationKind::clip, .beta = ceiling},
                                              {.kind = ActivationKind::softplus}}};
    return {modes.at(section.choice("activation_mode",
                                    {"relu", "sigmoid", "tanh", "clipped_relu", "soft_relu"}))};
}

Meaning fully_connected(DnnMarkSection& section, const Tensor&) {
    return {FullyConnected{.out_features = section.integer("num_output", 4096), .bias = false}};
}

Meaning softmax(DnnMarkSection& section, const Tensor& input) {
    const auto algorithm = section.choice("softmax_algo", {"accurate", "fast", "log"});
    const bool by_image = section.choice("softmax_mode", {"channel", "instance"}) == 1;
    const Dims& dims = input.dims;
    const bool has_plane = dims.size() > 2 && product(std::span(dims).subspan(2)) > 1;
    return {.op = Softmax{.axis = 1, .logarithm = algorithm == 2},
            .flattens = by_image && has_plane};
}

Meaning batch_normalization(DnnMarkSection& section, const Tensor&) {
    section.ignore({"save_intermediates"});
    const auto mode = section.choice("batchnorm_mode", {"per_activation", "spatial"});
    return {BatchNormalization{
        .epsilon = section.number("epsilon", 1e-5),
        .momentum = 1 - section.number("exp_avg_factor", 1),
        .scope = mode == 0 ? NormalizationScope::per_activation : NormalizationScope::spatial}};
}

Meaning dropout(DnnMarkSection& section, const Tensor&) {
    return {Dropout{.probability = section.number("dropout_probability", 0.5),
                    .seed = section.integer("random_seed", 0)}};
}

Meaning bypass(DnnMarkSection&, const Tensor&) {
    return {Identity{}};
}

// A kind of layer: its section's name, and how its keys are read.
struct LayerKind {
    std::string_view section;
    Meaning (*read)(DnnMarkSection& section, const Tensor& input);
};

constexpr std::array<LayerKind, 9> layer_kinds = {{{"Convolution", convolution_meaning},
                                                   {"Pooling", pooling},
                                                   {"LRN", lrn},
                                                   {"Activation", activation},
                                                   {"FullyConnected", fully_connected},
                                                   {"Softmax", softmax},
                                                   {"BatchNorm", batch_normalization},
                                                   {"Dropout", dropout},
                                                   {"Bypass", bypass}}};

const LayerKind& kind_of(const DnnMarkSection& section) {
    const auto found = std::ranges::find(layer_kinds, section.name(), &LayerKind::section);
    if (found != layer_kinds.end()) {
        return *found;
    }
    std::vector<std::string> names = {"DNNMark"};
    for (const LayerKind& kind : layer_kinds) {
        names.emplace_back(kind.section);
    }
    const auto meant = nearest(section.name(), names);
    section.refuse({}, fmt::format("there is no section [{}]; {}", section.name(),
                                   meant ? fmt::format("did you mean [{}]?", *meant)
                                         : "use one of " + join(names, ", ")));
}

// Builds a graph from sections.
class Assembler {
public:
    Assembler(std::string_view origin, const DnnMarkOptions& options)
        : origin_(origin),
          options_(options),
          build_(std::filesystem::path(origin).stem().string()) {}

    void add(DnnMarkSection& section) {
        if (section.name() == "DNNMark") {
            section.choice("run_mode", {"none", "standalone", "composed"});
            section.finish();
            return;
        }
        const LayerKind& kind = kind_of(section);
        const std::string name = claim_name(section);
        const TensorId input = input_of(section, name);
        const Meaning meaning = kind.read(section, build_.tensor(input));
        section.finish();
        try {
            results_[name] = place(name, meaning, input);
        } catch (const Error& error) {
            section.refuse({}, error.what());
        }
    }

    Graph finish() {
        if (results_.empty()) {
            throw Error(fmt::format("{}: it has no layers; add a section such as [Convolution]",
                                    printable(origin_, 400)));
        }
        return build_.finish();
    }

private:
    std::string claim_name(DnnMarkSection& section) {
        const std::string name =
            section.text("name", fmt::format("{}{}", section.name(), results_.size() + 1));
        constexpr std::size_t longest = 1024;
        if (name.empty() || name.size() > longest) {
            section.refuse("name",
                           fmt::format("a layer's name has 1 to {} bytes; correct it", longest));
        }
        if (results_.contains(name)) {
            section.refuse("name",
                           fmt::format("two layers are named \"{}\"; rename one", printable(name)));
        }
        return name;
    }

    TensorId input_of(DnnMarkSection& section, const std::string& name) {
        const std::string previous = section.text("previous_layer", "null");
        if (previous == "null" || previous.empty()) {
            return own_input(section, name);
        }
        const auto found = results_.find(previous);
        if (found == results_.end()) {
            section.refuse("previous_layer", fmt::format("there is no layer \"{}\" so far; {}",
                                                         printable(previous), neighbour(previous)));
        }
        require_no_other_extents(section, build_.tensor(found->second));
        return found->second;
    }

    std::string neighbour(const std::string& previous) const {
        std::vector<std::string> names;
        for (const auto& [name, result] : results_) {
            names.push_back(name);
        }
        std::ranges::sort(names);
        const auto meant = nearest(previous, names);
        return meant ? fmt::format("did you mean \"{}\"?", printable(*meant))
                     : "name an earlier layer";
    }

    TensorId own_input(DnnMarkSection& section, const std::string& name) {
        Tensor tensor;
        for (const std::string_view key : {"n", "c", "h", "w"}) {
            const std::int64_t extent = section.integer(key, 0);
            if (extent == 0) {
                section.refuse(key,
                               fmt::format("layer \"{}\" follows no other and needs a positive "
                                           "{}; add it, or previous_layer",
                                           printable(name), key));
            }
            tensor.dims.push_back(extent);
        }
        tensor.dims[0] = options_.batch.value_or(tensor.dims[0]);
        try {
            product(tensor.dims);
        } catch (const Error& error) {
            section.refuse("n", error.what());
        }
        return build_.input(results_.empty() ? "data" : name + ".data", tensor);
    }

    // Extents given in addition to previous_layer are redundant and must agree with it.
    void require_no_other_extents(DnnMarkSection& section, const Tensor& input) const {
        Dims dims = input.dims;
        dims.resize(std::max<std::size_t>(dims.size(), 4), 1);
        const std::array<std::string_view, 4> keys = {"n", "c", "h", "w"};
        for (std::size_t axis = 0; axis < keys.size(); ++axis) {
            const std::int64_t stated = section.integer(keys[axis], dims[axis]);
            const bool replaced = axis == 0 && options_.batch;
            if (stated != dims[axis] && !replaced) {
                section.refuse(keys[axis],
                               fmt::format("{}={}, but previous_layer gives {}; remove it",
                                           keys[axis], stated, dims[axis]));
            }
        }
    }

    TensorId place(const std::string& name, const Meaning& meaning, TensorId input) {
        if (meaning.result) {
            return build_.place(name, meaning.op, {input},
                                {{name, *meaning.result, Role::activation}})[0];
        }
        if (meaning.flattens) {
            input = build_.add(name + ".flat", Reshape{{0, -1}}, {input});
        }
        return build_.add(name, meaning.op, {input});
    }

    std::string_view origin_;
    const DnnMarkOptions& options_;
    GraphBuilder build_;
    std::unordered_map<std::string, TensorId> results_;  // by layer
};

}  // namespace

Graph parse_dnnmark(std::string_view text, std::string_view origin, const DnnMarkOptions& options) {
    auto sections = read_dnnmark_sections(text, origin, options.variables);
    Assembler assembler(origin, options);
    for (DnnMarkSection& section : sections) {
        assembler.add(section);
    }
    return assembler.finish();
}

}  // namespace strata
