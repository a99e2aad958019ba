// SPDX-License-Identifier: MIT
#include "predict/rates.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/toml_section.h"
#include "predict/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

// How strongly rates are held to their priors, in rows: strongly enough that rates without evidence
// do not move, weakly relative to a few rows of evidence.
constexpr double usual_pull = 0.02;
// Groups of products with unknown kernels have few rows each, of several kernels.
constexpr double stronger_for_groups = 15;

// The name of unnamed kernels in files.
constexpr std::string_view usual_kernel = "usual";

// Products run in tiles on processors; their lanes determine how fast caches are.
void require_processors(const DeviceDescription& device, Arithmetic arithmetic) {
    peak_of(device, arithmetic);
    if (!device.lanes) {
        throw Error(
            fmt::format("{} has no lanes, which a prediction of products needs; add "
                        "them to its description",
                        device.name));
    }
}

Seconds predict_product(const GemmRow& row, std::span<const GemmKernel> candidates,
                        const DeviceDescription& device, const GemmRates& rates) {
    const GemmKernel kernel =
        row.kernel ? *row.kernel : planned_kernel(row.problem, candidates, device, rates);
    return predict_gemm(row.problem, kernel, device, rates).time;
}

// A rate, its name in files, and how strongly a fit holds it.
struct NamedRate {
    std::string_view name;
    double* value;
    double pull = usual_pull;
};

std::vector<NamedRate> named_rates(GemmRates& rates) {
    return {{"launch_s", &rates.launch.value, 0.5 * usual_pull},
            {"l2_bytes_per_s", &rates.l2.value, 2 * usual_pull},
            {"dram_efficiency", &rates.dram_efficiency, 5 * usual_pull},
            {"overlap", &rates.overlap},
            {"split_s", &rates.split.value},
            {"cache_share", &rates.cache_share},
            {"scatter", &rates.scatter, 0.3 * usual_pull},
            {"scatter_pitch_bytes", &rates.scatter_pitch.value},
            {"store_s", &rates.store.value},
            {"ramp_bytes", &rates.ramp.value},
            {"resident", &rates.resident},
            {"cached", &rates.cached},
            {"span_bytes", &rates.span.value},
            {"span_power", &rates.span_power}};
}

std::vector<NamedRate> named_rates(KernelRates& rates) {
    return {{"efficiency", &rates.efficiency},
            {"step_s", &rates.step.value},
            {"epilogue_s", &rates.epilogue.value},
            {"half_saturation", &rates.half_saturation}};
}

// (Few rows depend on each, and most boards are alike, so these are held more strongly.)
std::vector<NamedRate> named_rates(ConvolutionRates& rates) {
    constexpr double held = 6, loose = 0.5, shared = 20;
    return {{"launch_s", &rates.launch.value, loose},
            {"start_s", &rates.start.value, loose},
            {"overlap", &rates.overlap, held},
            {"l2", &rates.l2, held},
            {"dram_efficiency", &rates.dram_efficiency, held},
            {"half_saturation", &rates.half_saturation, held},
            {"ramp", &rates.ramp, loose},
            {"winograd_ramp", &rates.winograd_ramp, loose},
            {"tile_128x128", &rates.tile_128x128, loose},
            {"tile_128x64", &rates.tile_128x64, held},
            {"tile_128x32", &rates.tile_128x32, held},
            {"tile_64x64", &rates.tile_64x64, held},
            {"fused_winograd", &rates.fused_winograd, loose},
            {"batched_products", &rates.batched_products, held},
            {"transforms", &rates.transforms, held},
            {"filter_transforms", &rates.filter_transforms, held},
            {"transform_launches_s", &rates.transform_launches.value, held},
            {"pointwise", &rates.pointwise, held},
            {"few_channels", &rates.few_channels, held},
            {"strided", &rates.strided, held},
            {"scattered", &rates.scattered, held},
            {"direct", &rates.direct, shared},
            {"depthwise", &rates.depthwise, loose},
            {"fft", &rates.fft, shared},
            {"split_s", &rates.split.value, held},
            {"split_efficiency", &rates.split_efficiency, held}};
}

std::vector<NamedRate> named_rates(StreamingRates& rates) {
    constexpr double weak = 0.5 * usual_pull;
    return {{"launch_s", &rates.launch.value, weak},
            {"efficiency", &rates.efficiency, weak},
            {"hidden_bytes", &rates.hidden.value, weak},
            {"edge_bytes", &rates.edge.value, weak},
            {"resident_bytes", &rates.resident.value, weak},
            {"cached", &rates.cached, weak},
            {"row_s", &rates.row.value, weak},
            {"element_s", &rates.element.value, weak}};
}

std::vector<NamedRate> named_rates(RecurrentRates& rates) {
    std::vector<NamedRate> named = {{"launch_s", &rates.launch.value},
                                    {"first_step_s", &rates.first_step.value},
                                    {"first_steps", &rates.first_steps},
                                    {"step_vanilla_s", &rates.step[0].value},
                                    {"step_lstm_s", &rates.step[1].value},
                                    {"step_gru_s", &rates.step[2].value},
                                    {"dram_efficiency", &rates.dram_efficiency, 5 * usual_pull},
                                    {"cache_share", &rates.cache_share, 5 * usual_pull},
                                    {"overlap", &rates.overlap},
                                    {"weights_efficiency", &rates.weights_efficiency}};
    constexpr std::array<std::array<std::string_view, 2>, 4> by_batch = {
        {{"efficiency_to_16", "multiply_to_16_s"},
         {"efficiency_to_32", "multiply_to_32_s"},
         {"efficiency_to_64", "multiply_to_64_s"},
         {"efficiency_beyond_64", "multiply_beyond_64_s"}}};
    for (std::size_t i = 0; i < by_batch.size(); ++i) {
        named.push_back({by_batch[i][0], &rates.by_batch[i].efficiency});
        named.push_back({by_batch[i][1], &rates.by_batch[i].multiply.value});
    }
    return named;
}

std::vector<NamedRate> named_rates(FusedRates& rates) {
    constexpr double held = 5 * usual_pull;
    return {{"launch_s", &rates.launch.value, held},
            {"efficiency", &rates.efficiency, held},
            {"wide", &rates.wide, held},
            {"wider", &rates.wider, held},
            {"exponentials", &rates.exponentials, held},
            {"tail", &rates.tail, held},
            {"block_s", &rates.block.value, held},
            {"step_s", &rates.step.value, held},
            {"l2_bytes_per_clock", &rates.l2, 20 * held},
            {"dram_efficiency", &rates.dram_efficiency, held},
            {"cached", &rates.cached, held},
            {"resident", &rates.resident, held},
            {"split_s", &rates.split.value, held},
            {"split_keys", &rates.split_keys, held},
            {"sequence_s", &rates.sequence.value, held},
            {"appended", &rates.appended, held}};
}

// Rates that a fit does not move: it tries values of them.
std::vector<NamedRate> named_choices(FusedRates& rates) {
    return {{"packed_heads", &rates.packed_heads},
            {"packed_queries", &rates.packed_queries},
            {"ungrouped_parts", &rates.ungrouped_parts}};
}

std::vector<NamedRate> all_named(FusedRates& rates) {
    std::vector<NamedRate> all = named_rates(rates);
    for (const NamedRate& choice : named_choices(rates)) {
        all.push_back(choice);
    }
    return all;
}

std::vector<NamedRate> named_rates(TrainingStepRates& rates) {
    return {{"step_s", &rates.step.value},
            {"layer_s", &rates.product.launch.value},
            {"efficiency", &rates.product.efficiency},
            {"dram_efficiency", &rates.product.dram_efficiency},
            {"weight_copies", &rates.weight_copies},
            {"activation_copies", &rates.activation_copies},
            {"optimizer_passes", &rates.optimizer_passes},
            {"all_reduce_bytes_per_s", &rates.all_reduce.value},
            {"infeed_bytes_per_s", &rates.infeed.value},
            {"infeed_wait_s", &rates.infeed_wait.value},
            {"label_elements", &rates.label_elements},
            {"overlap", &rates.overlap}};
}

template <class Rates>
void add_parameters(Rates& rates, std::vector<FitParameter>& parameters) {
    for (const NamedRate& rate : named_rates(rates)) {
        if (*rate.value > 0) {  // the model has it
            parameters.push_back({rate.value, rate.pull});
        }
    }
}

template <class Rates>
std::vector<FitParameter> simple_parameters(Rates& rates) {
    std::vector<FitParameter> parameters;
    add_parameters(rates, parameters);
    return parameters;
}

std::vector<double> measured_of(std::span<const ProblemRow* const> rows) {
    std::vector<double> seconds;
    for (const ProblemRow* const row : rows) {
        check(row->measured.has_value(), "rates are fitted to measured rows");
        seconds.push_back(row->measured->value);
    }
    return seconds;
}

GemmRates prior_rates_of(const GemmRow& product, const DeviceDescription& device) {
    return runs_alone(product, device) ? prior_matrix_rates(device) : prior_gemm_rates(device);
}

GemmRates fitted_products(std::span<const ProblemRow* const> rows,
                          const DeviceDescription& device) {
    const GemmRow& first = std::get<GemmRow>(rows.front()->problem);
    GemmRates rates = prior_rates_of(first, device);
    for (const ProblemRow* const row : rows) {
        const GemmRow& product = std::get<GemmRow>(row->problem);
        const std::string kernel(product.kernel ? std::string_view(product.kernel->name)
                                                : group_of(product.problem));
        ++rates.kernels.try_emplace(kernel, rates.usual).first->second.rows;
    }
    const std::vector<FitParameter> parameters = parameters_of(rates);
    const std::vector<GemmKernel> candidates =
        candidate_kernels(rates, units_of(first.problem, device));
    const auto predict = [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] =
                predict_product(std::get<GemmRow>(rows[i]->problem), candidates, device, rates)
                    .value;
        }
    };
    fit(parameters, measured_of(rows), predict,
        runs_alone(first, device) ? FitSearch::slopes_and_single_moves : FitSearch::slopes);
    return rates;
}

const ConvolutionRow& convolution_of(const ProblemRow& row) {
    return std::get<ConvolutionRow>(row.problem);
}

ConvolutionRates prior_of(const ProblemRow& row, const DeviceDescription& device) {
    return prior_convolution_rates(device, convolution_of(row).problem.pass);
}

// The rates of algorithms that none of the rows could take stay as assumed. Like fitted ones, they
// are then of this device's sustained share, which other devices divide by.
void share_unfitted(std::span<const std::vector<ConvolutionKernel>> candidates,
                    const DeviceDescription& device, ConvolutionRates& rates) {
    const auto share_without = [&](LibraryAlgorithm algorithm, double& rate) {
        const bool is_taken = std::ranges::any_of(candidates, [&](const auto& of_row) {
            return std::ranges::find(of_row, algorithm, &ConvolutionKernel::algorithm) !=
                   of_row.end();
        });
        rate *= is_taken ? 1 : sustained_share(device);
    };
    share_without(LibraryAlgorithm::fused_winograd, rates.fused_winograd);
    share_without(LibraryAlgorithm::winograd_3x3, rates.batched_products);
    share_without(LibraryAlgorithm::tiled_fft, rates.fft);
}

// The fit with a library, and its sum of the errors' absolute logarithms. Of the time that every
// kernel takes, it moves what the host takes up to cuDNN 7, whose rows were launched one by one,
// and what the device takes later.
std::pair<ConvolutionRates, double> fitted_with(std::span<const ProblemRow* const> rows,
                                                const DeviceDescription& device, double library) {
    ConvolutionRates rates = with_library(prior_of(*rows.front(), device),
                                          convolution_of(*rows.front()).problem.pass, library);
    std::vector<FitParameter> parameters = parameters_of(rates);
    const double* const fixed =
        library >= padding_library ? &rates.launch.value : &rates.start.value;
    std::erase_if(parameters, [&](const FitParameter& one) { return one.value == fixed; });
    std::vector<std::vector<ConvolutionKernel>> candidates;
    for (const ProblemRow* const row : rows) {
        const ConvolutionRow& problem = convolution_of(*row);
        candidates.push_back(candidate_kernels(problem.problem, device, library, problem.kernel));
    }
    if (library >= padding_library) {
        share_unfitted(candidates, device, rates);
    }
    const auto predict = [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] =
                predict_fastest(convolution_of(*rows[i]).problem, candidates[i], device, rates)
                    .time.value;
        }
    };
    const std::vector<double> measured = measured_of(rows);
    fit(parameters, measured, predict,
        library >= padding_library ? FitSearch::slopes_and_single_moves : FitSearch::slopes);
    std::vector<double> predicted(rows.size());
    predict(predicted);
    double left = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        left += std::abs(std::log(predicted[i] / measured[i]));
    }
    return {rates, left};
}

// Tables do not say which library ran, so this tries each and takes the best fit. (Devices since
// Ampere have none from before cuDNN 8.)
ConvolutionRates fitted_convolutions(std::span<const ProblemRow* const> rows,
                                     const DeviceDescription& device) {
    auto best = fitted_with(rows, device, prior_of(*rows.front(), device).library);
    constexpr std::array libraries = {5.0, 7.0};  // before and after Winograd for all passes
    for (const double library : libraries) {
        if (best.first.library >= padding_library) {
            break;
        }
        auto other = fitted_with(rows, device, library);
        if (other.second < best.second) {
            best = std::move(other);
        }
    }
    return best.first;
}

StreamingRates fitted_streaming(std::span<const ProblemRow* const> rows,
                                const DeviceDescription& device) {
    StreamingRates rates = prior_streaming_rates(device);
    const std::vector<FitParameter> parameters = parameters_of(rates);
    fit(parameters, measured_of(rows), [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] =
                predict_streaming(std::get<StreamingProblem>(rows[i]->problem), device, rates)
                    .time.value;
        }
    });
    return rates;
}

RecurrentRates fitted_recurrent(std::span<const ProblemRow* const> rows,
                                const DeviceDescription& device) {
    RecurrentRates rates = prior_recurrent_rates(device);
    fit(simple_parameters(rates), measured_of(rows), [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] = predict_recurrent(std::get<RecurrentProblem>(rows[i]->problem),
                                             RecurrentAlgorithm::stepwise, device, rates)
                               .time.value;
        }
    });
    return rates;
}

const AttentionRow& attention_of(const ProblemRow& row) {
    return std::get<AttentionRow>(row.problem);
}

// The sum of the errors' absolute logarithms after a fit with these choices. `forward` has the
// times of the forward passes of rows with both passes.
double fit_attention(std::span<const ProblemRow* const> rows, std::span<const double> forward,
                     const DeviceDescription& device, FusedRates& rates) {
    const auto predict = [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            AttentionProblem problem = attention_of(*rows[i]).problem;
            problem.pass = problem.phase() == AttentionPhase::backward ? AttentionPass::backward
                                                                       : problem.pass;
            predicted[i] = forward[i] + predict_fused(problem, device, rates).time.value;
        }
    };
    const std::vector<double> measured = measured_of(rows);
    fit(simple_parameters(rates), measured, predict);
    std::vector<double> predicted(rows.size());
    predict(predicted);
    double left = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        left += std::abs(std::log(predicted[i] / measured[i]));
    }
    return left;
}

// The kernels that a library may have for a phase: how they pack and divide.
std::vector<FusedRates> choices_of(AttentionPhase phase) {
    constexpr double all = 1024, some = 32, none = 1;
    const FusedRates prior = prior_fused_rates(phase);
    std::vector<FusedRates> choices;
    if (phase == AttentionPhase::decode) {
        for (const double heads : {all, some}) {
            for (const double parts : {all, none}) {
                choices.push_back(prior);
                choices.back().packed_heads = heads;
                choices.back().ungrouped_parts = parts;
            }
        }
        return choices;
    }
    for (const double queries : {none, all * all}) {
        choices.push_back(prior);
        choices.back().packed_queries = queries;
        if (phase != AttentionPhase::prefill) {
            break;  // packing needs heads with shared keys
        }
    }
    return choices;
}

FusedRates fitted_attention(std::span<const ProblemRow* const> rows,
                            std::span<const double> forward, const DeviceDescription& device) {
    std::optional<FusedRates> best;
    double least = 0;
    for (FusedRates rates : choices_of(attention_of(*rows.front()).problem.phase())) {
        const double left = fit_attention(rows, forward, device, rates);
        if (!best || left < least) {
            best = rates;
            least = left;
        }
    }
    return *best;
}

// The times of the forward passes of rows with both passes; 0 for the others.
std::vector<double> forward_times(std::span<const ProblemRow* const> rows,
                                  const DeviceDescription& device, const DeviceRates& known) {
    std::vector<double> forward;
    for (const ProblemRow* const row : rows) {
        AttentionProblem problem = attention_of(*row).problem;
        const bool is_both = problem.pass == AttentionPass::both;
        problem.pass = AttentionPass::forward;
        const FusedRates* const found =
            find_fused_rates(known, problem.phase(), attention_of(*row).library);
        const FusedRates used = found == nullptr ? prior_fused_rates(problem.phase()) : *found;
        forward.push_back(is_both ? predict_fused(problem, device, used).time.value : 0);
    }
    return forward;
}

// Fits what ran in one kernel, as far as the table says; unfused rows follow from products and the
// softmax. For rows with both passes, the forward time follows from the forward rates among those
// fitted so far, else from the device's.
void add_fitted_attention(std::span<const ProblemRow* const> rows, const DeviceDescription& device,
                          DeviceRates& rates) {
    std::vector<const ProblemRow*> fused;
    std::ranges::copy_if(rows, std::back_inserter(fused), [](const ProblemRow* row) {
        return attention_of(*row).algorithm.value_or(AttentionAlgorithm::fused) ==
               AttentionAlgorithm::fused;
    });
    if (fused.empty()) {
        return;
    }
    DeviceRates known = rates;
    known.attention.merge(rates_of(device.name).attention);
    const std::vector<double> forward = forward_times(fused, device, known);
    rates.attention.insert_or_assign(fused.front()->problem_class,
                                     fitted_attention(fused, forward, device));
}

TrainingStepRates fitted_steps(std::span<const ProblemRow* const> rows,
                               const DeviceDescription& device) {
    TrainingStepRates rates;
    fit(simple_parameters(rates), measured_of(rows), [&](std::span<double> predicted) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            predicted[i] = predict_training_step(std::get<TrainingStepProblem>(rows[i]->problem),
                                                 device, rates)
                               .time.value;
        }
    });
    return rates;
}

// The rates that a file contains.
template <class Rates>
std::vector<NamedRate> all_named(Rates& rates) {
    return named_rates(rates);
}

template <class Rates>
std::string text_of(std::string_view table, std::string_view key, std::string_view name,
                    Rates rates) {
    std::string out = fmt::format("\n[[{}]]\n{} = {}\n", table, key, toml_string(name));
    for (const NamedRate& rate : all_named(rates)) {
        if (*rate.value > 0) {
            out += fmt::format("{} = {:.6g}\n", rate.name, *rate.value);
        }
    }
    return out;
}

// Reads the rates in a table; the others keep their values.
template <class Rates>
void read_into(Rates& rates, const TomlSection& section,
               std::initializer_list<std::string_view> further_keys) {
    std::vector<std::string_view> known = further_keys;
    for (const NamedRate& rate : all_named(rates)) {
        known.push_back(rate.name);
        if (const auto value = section.number(rate.name)) {
            if (!(*value > 0) || !std::isfinite(*value)) {
                section.refuse(rate.name, "give a positive number");
            }
            *rate.value = *value;
        }
    }
    section.expect_only(known);
}

// The rates of the classes in tables of this name.
template <class Rates>
void read_classes(const TomlSection& file, std::string_view origin, std::string_view name,
                  std::map<std::string, Rates, std::less<>>& classes) {
    for (const toml::table* const table : file.tables_if_any(name)) {
        const TomlSection section(*table, fmt::format("{}: {}", printable(origin), name));
        Rates found;
        read_into(found, section, {"class"});
        classes.emplace(section.required_text("class"), found);
    }
}

GemmRates products_in(const TomlSection& section, std::string_view origin) {
    GemmRates rates;
    read_into(rates, section, {"class", "kernel"});
    for (const toml::table* const table : section.tables_if_any("kernel")) {
        const TomlSection entry(*table, fmt::format("{}: kernel", printable(origin)));
        KernelRates kernel;
        read_into(kernel, entry, {"name", "rows"});
        kernel.rows = static_cast<int>(entry.count("rows").value_or(0));
        const std::string name = entry.required_text("name");
        if (name == usual_kernel) {
            rates.usual = kernel;
        } else {
            rates.kernels.emplace(name, kernel);
        }
    }
    return rates;
}

// Earlier files have a class for each type of 16 bits.
std::string present_name(std::string name) {
    for (const std::string_view type : {"fp16_mixed", "bf16_mixed"}) {
        const std::size_t at = name.find(type);
        if (at != std::string::npos && !name.starts_with("recurrent")) {
            name.replace(at, type.size(), "16 bits");
        }
    }
    return name;
}

}  // namespace

std::string to_toml(const DeviceRates& rates, std::string_view source) {
    std::string out =
        fmt::format("# SPDX-License-Identifier: MIT\nsource = {}\n", toml_string(source));
    for (const auto& [name, products] : rates.gemm) {
        out += text_of("gemm", "class", name, products);
        out += text_of("gemm.kernel", "name", usual_kernel, products.usual);
        for (const auto& [kernel, reached] : products.kernels) {
            out += text_of("gemm.kernel", "name", kernel, reached);
            out += fmt::format("rows = {}\n", reached.rows);
        }
    }
    for (const auto& [name, convolutions] : rates.convolution) {
        out += text_of("convolution", "class", name, convolutions);
        out += fmt::format("library = {}\n", convolutions.library);
    }
    for (const auto& [name, streaming] : rates.streaming) {
        out += text_of("streaming", "class", name, streaming);
    }
    for (const auto& [name, recurrent] : rates.recurrent) {
        out += text_of("recurrent", "class", name, recurrent);
    }
    for (const auto& [name, step] : rates.training_step) {
        out += text_of("training_step", "class", name, step);
    }
    for (const auto& [name, attention] : rates.attention) {
        out += text_of("attention", "class", name, attention);
    }
    return out;
}

DeviceRates parse_rates(std::string_view toml, std::string_view origin) {
    const toml::table table = parse_toml(toml, origin);
    const TomlSection file(table, printable(origin));
    constexpr std::array<std::string_view, 7> known = {
        "source", "gemm", "streaming", "convolution", "recurrent", "training_step", "attention"};
    file.expect_only(known);
    DeviceRates rates;
    for (const toml::table* const products : file.tables_if_any("gemm")) {
        const TomlSection section(*products, fmt::format("{}: gemm", printable(origin)));
        rates.gemm.emplace(present_name(section.required_text("class")),
                           products_in(section, origin));
    }
    for (const toml::table* const convolutions : file.tables_if_any("convolution")) {
        const TomlSection section(*convolutions, fmt::format("{}: convolution", printable(origin)));
        ConvolutionRates found;
        read_into(found, section, {"class", "library"});
        found.depthwise = section.number("depthwise").value_or(found.direct);  // in earlier files
        found.library = section.number("library").value_or(found.library);
        if (!(found.library > 0)) {
            section.refuse("library", "give a positive number");
        }
        rates.convolution.emplace(present_name(section.required_text("class")), found);
    }
    read_classes(file, origin, "streaming", rates.streaming);
    read_classes(file, origin, "recurrent", rates.recurrent);
    read_classes(file, origin, "training_step", rates.training_step);
    read_classes(file, origin, "attention", rates.attention);
    return rates;
}

std::filesystem::path own_rates_file(std::string_view device) {
    const auto home = data_home();
    if (!home) {
        throw Error("there is nowhere to keep rates: set HOME or XDG_DATA_HOME");
    }
    return *home / "strata" / "rates" / fmt::format("{}.toml", device);
}

DeviceRates own_rates_of(std::string_view device) {
    if (data_home()) {
        const auto file = own_rates_file(device);
        if (const auto text = read_small_file(file)) {
            return parse_rates(*text, file.string());
        }
    }
    return {};
}

DeviceRates shipped_rates_of(std::string_view device) {
    for (const EmbeddedFile& file : rate_files()) {
        if (file.name == device) {
            return parse_rates(file.text, fmt::format("{}.toml", device));
        }
    }
    return {};
}

std::optional<DeviceDescription> origin_of_rates(const DeviceDescription& device) {
    auto origin = origin_of(device);
    const bool has_own_name = origin && origin->name != device.name;
    if (has_own_name && data_home() && read_small_file(own_rates_file(device.name))) {
        return {};
    }
    return origin;
}

DeviceRates rates_of(std::string_view device) {
    DeviceRates rates = own_rates_of(device);
    DeviceRates shipped = shipped_rates_of(device);
    rates.gemm.merge(shipped.gemm);
    rates.streaming.merge(shipped.streaming);
    rates.convolution.merge(shipped.convolution);
    rates.recurrent.merge(shipped.recurrent);
    rates.training_step.merge(shipped.training_step);
    rates.attention.merge(shipped.attention);
    return rates;
}

bool runs_alone(const GemmRow& product, const DeviceDescription& device) {
    return !product.kernel && has_matrix_units(device, product.problem.arithmetic);
}

bool runs_in_matrix_units(std::string_view problem_class) {
    constexpr std::array classes = {products_of_16_bits, std::string_view("gemm tf32"),
                                    std::string_view("gemm fp8"), std::string_view("gemm int8")};
    return std::ranges::find(classes, problem_class) != classes.end();
}

const GemmRates* find_products(const DeviceRates& rates, std::string_view problem_class) {
    auto found = rates.gemm.find(problem_class);
    if (found == rates.gemm.end() && runs_in_matrix_units(problem_class)) {
        found = rates.gemm.find(products_of_16_bits);
    }
    return found == rates.gemm.end() ? nullptr : &found->second;
}

const FusedRates* find_fused_rates(const DeviceRates& rates, AttentionPhase phase,
                                   std::string_view library) {
    AttentionPhase other = phase;
    if (phase == AttentionPhase::encoder || phase == AttentionPhase::prefill) {
        other =
            phase == AttentionPhase::encoder ? AttentionPhase::prefill : AttentionPhase::encoder;
    }
    for (const std::string_view of : {library, std::string_view()}) {
        for (const AttentionPhase one : {phase, other}) {
            const auto found = rates.attention.find(attention_class(one, of));
            if (found != rates.attention.end()) {
                return &found->second;
            }
        }
    }
    return nullptr;
}

AttentionRates attention_rates(const DeviceDescription& device, const DeviceRates& rates,
                               std::string_view library) {
    AttentionRates found = prior_attention_rates(device);
    if (const auto products = rates.gemm.find("bmm"); products != rates.gemm.end()) {
        found.products = products->second;
    }
    if (const auto softmax = rates.streaming.find("softmax by warps");
        softmax != rates.streaming.end()) {
        found.softmax = softmax->second;
    }
    for (std::size_t i = 0; i < found.fused.size(); ++i) {
        if (const auto* fused = find_fused_rates(rates, static_cast<AttentionPhase>(i), library)) {
            found.fused[i] = *fused;
        }
    }
    return found;
}

SystolicRates systolic_rates(const DeviceRates& rates) {
    return rates.training_step.empty() ? SystolicRates()
                                       : rates.training_step.begin()->second.product;
}

namespace {

// The classes whose rates an operator uses, best first: its own, for 16 bits also that of fp32,
// then that of another operator that a framework launches.
std::vector<std::string_view> names_of_stream(std::string_view name) {
    constexpr std::string_view other = "add", other_in_16_bits = "add 16 bits";
    if (!name.ends_with(in_16_bits)) {
        return {name, other};
    }
    return {name, name.substr(0, name.size() - in_16_bits.size()), other_in_16_bits, other};
}

}  // namespace

Seconds predict_row(const ProblemRow& row, const DeviceDescription& device,
                    const DeviceRates& rates) {
    if (const auto* product = std::get_if<GemmRow>(&row.problem)) {
        const GemmRates* const fitted = find_products(rates, row.problem_class);
        if (device.kind == DeviceKind::tpu) {
            return predict_systolic_gemm(product->problem, device, systolic_rates(rates)).time;
        }
        require_processors(device, product->problem.arithmetic);
        const auto with = [&](const GemmRates& used) {
            return predict_product(
                *product,
                product->kernel ? std::vector<GemmKernel>()
                                : candidate_kernels(used, units_of(product->problem, device)),
                device, used);
        };
        return fitted == nullptr ? with(prior_rates_of(*product, device)) : with(*fitted);
    }
    if (const auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
        require_processors(device, convolution->problem.arithmetic);
        const auto fitted = rates.convolution.find(row.problem_class);
        return predict_convolution(
                   convolution->problem, device,
                   fitted == rates.convolution.end() ? prior_of(row, device) : fitted->second,
                   convolution->kernel)
            .time;
    }
    if (const auto* layer = std::get_if<RecurrentProblem>(&row.problem)) {
        const auto fitted = rates.recurrent.find(row.problem_class);
        return predict_recurrent(
                   *layer, RecurrentAlgorithm::stepwise, device,
                   fitted == rates.recurrent.end() ? prior_recurrent_rates(device) : fitted->second)
            .time;
    }
    if (const auto* attention = std::get_if<AttentionRow>(&row.problem)) {
        const AttentionRates used = attention_rates(device, rates, attention->library);
        return predict_attention(attention->problem,
                                 attention->algorithm.value_or(
                                     planned_algorithm(attention->problem, device, used)),
                                 device, used)
            .time;
    }
    if (const auto* step = std::get_if<TrainingStepProblem>(&row.problem)) {
        const auto fitted = rates.training_step.find(row.problem_class);
        return predict_training_step(
                   *step, device,
                   fitted == rates.training_step.end() ? TrainingStepRates() : fitted->second)
            .time;
    }
    auto fitted = rates.streaming.end();
    for (const std::string_view name : names_of_stream(row.problem_class)) {
        fitted = fitted == rates.streaming.end() ? rates.streaming.find(name) : fitted;
    }
    return predict_streaming(
               std::get<StreamingProblem>(row.problem), device,
               fitted == rates.streaming.end() ? prior_streaming_rates(device) : fitted->second)
        .time;
}

Seconds roofline(const ProblemRow& row, const DeviceDescription& device) {
    const Bandwidth memory = device.dram_bandwidth->value;
    if (const auto* streaming = std::get_if<StreamingProblem>(&row.problem)) {
        return streaming->traffic() / memory;
    }
    if (const auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
        return std::max(
            convolution->problem.flops() / peak_of(device, convolution->problem.arithmetic),
            convolution->problem.traffic() / memory);
    }
    if (const auto* layer = std::get_if<RecurrentProblem>(&row.problem)) {
        return std::max(layer->flops() / peak_of(device, layer->arithmetic),
                        layer->weights() / memory);
    }
    if (const auto* attention = std::get_if<AttentionRow>(&row.problem)) {
        const AttentionProblem& p = attention->problem;
        return std::max(p.flops() / peak_of(device, p.arithmetic), p.compulsory() / memory);
    }
    if (const auto* step = std::get_if<TrainingStepProblem>(&row.problem)) {
        const double chips = static_cast<double>(step->cores) / device.processors->value.value;
        return step->flops() / (peak_of(device, Arithmetic::f32) * chips);
    }
    const GemmProblem& p = std::get<GemmRow>(row.problem).problem;
    const double batch = static_cast<double>(p.batch), m = static_cast<double>(p.m),
                 n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    return std::max(Flops{2 * batch * m * n * k} / peak_of(device, p.arithmetic),
                    Bytes{batch * (m * k + k * n + m * n) * p.element_bytes} / memory);
}

std::vector<FitParameter> parameters_of(GemmRates& rates) {
    std::vector<FitParameter> parameters = simple_parameters(rates);
    for (auto& [name, kernel] : rates.kernels) {
        const auto begin = static_cast<std::ptrdiff_t>(parameters.size());
        add_parameters(kernel, parameters);
        if (!kernel_named(name, 1)) {
            std::for_each(parameters.begin() + begin, parameters.end(),
                          [](FitParameter& parameter) { parameter.pull *= stronger_for_groups; });
        }
    }
    if (rates.kernels.empty()) {
        add_parameters(rates.usual, parameters);
    }
    return parameters;
}

std::vector<FitParameter> parameters_of(StreamingRates& rates) {
    return simple_parameters(rates);
}

std::vector<FitParameter> parameters_of(ConvolutionRates& rates) {
    return simple_parameters(rates);
}

DeviceRates fit_rates(std::span<const ProblemRow* const> rows, const DeviceDescription& device) {
    std::map<std::string, std::vector<const ProblemRow*>> classes;
    for (const ProblemRow* const row : rows) {
        classes[row->problem_class].push_back(row);
    }
    DeviceRates rates;
    std::vector<std::span<const ProblemRow* const>> gradients;  // of attention; fitted last
    for (const auto& [name, members] : classes) {
        if (const auto* product = std::get_if<GemmRow>(&members.front()->problem)) {
            if (device.kind == DeviceKind::tpu) {
                continue;  // only training steps: systolic_rates()
            }
            require_processors(device, product->problem.arithmetic);
            rates.gemm.emplace(name, fitted_products(members, device));
        } else if (std::holds_alternative<ConvolutionRow>(members.front()->problem)) {
            require_processors(device, convolution_of(*members.front()).problem.arithmetic);
            rates.convolution.emplace(name, fitted_convolutions(members, device));
        } else if (std::holds_alternative<AttentionRow>(members.front()->problem)) {
            if (attention_of(*members.front()).problem.phase() == AttentionPhase::backward) {
                gradients.emplace_back(members);
            } else {
                add_fitted_attention(members, device, rates);
            }
        } else if (std::holds_alternative<RecurrentProblem>(members.front()->problem)) {
            rates.recurrent.emplace(name, fitted_recurrent(members, device));
        } else if (std::holds_alternative<TrainingStepProblem>(members.front()->problem)) {
            rates.training_step.emplace(name, fitted_steps(members, device));
        } else {
            rates.streaming.emplace(name, fitted_streaming(members, device));
        }
    }
    for (const auto& members : gradients) {
        add_fitted_attention(members, device, rates);
    }
    return rates;
}

}  // namespace strata
