// SPDX-License-Identifier: MIT
#include "predict/named_rates.h"

#include <array>

namespace strata {

namespace {

constexpr double usual_pull = NamedRate{}.pull;

}  // namespace

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

std::vector<NamedRate> named_choices(FusedRates& rates) {
    return {{"packed_heads", &rates.packed_heads},
            {"packed_queries", &rates.packed_queries},
            {"ungrouped_parts", &rates.ungrouped_parts}};
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

}  // namespace strata
