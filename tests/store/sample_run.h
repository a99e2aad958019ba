// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

namespace strata {

// Distinct times of iterations that belong together.
inline InfeedResult sample_infeed_result() {
    InfeedResult infeed{.source = "synthetic",
                        .images = 64,
                        .encoded = {1234567},
                        .pixels = 4194304,
                        .threads = 2,
                        .times = {}};
    double time = 1e-3;
    for (const InfeedSeries& series : infeed_series) {
        (infeed.times.*series.samples).values = {Seconds{time}, Seconds{1.0 / 3},
                                                 Seconds{2 * time}};
        time += 1e-3;
    }
    return infeed;
}

// Two kernels with the same name, one of them without a layer, and a copy without time stamps.
inline TraceResult sample_trace() {
    const LaunchShape launch{
        .grid = {4, 2, 1}, .block = {128, 1, 1}, .registers = 40, .static_shared = {1024}};
    const auto span = [&](SpanKind kind, std::int64_t start, std::int64_t end) {
        return Span{.kind = kind,
                    .name = kind == SpanKind::copy ? "device to host" : "void gemm<6>(float*)",
                    .device = 0,
                    .stream = 7,
                    .start = Nanoseconds(start),
                    .end = Nanoseconds(end)};
    };
    TraceResult trace{.device = "NVIDIA H200",
                      .windows = {{{3e-6}, {4e-6}}},
                      .recorded = {{{5e-6}}},
                      .dropped = 2};
    trace.spans = {{span(SpanKind::kernel, 1000, 2000), "conv1", Pass::forward, Evidence::node},
                   {span(SpanKind::kernel, 2500, 4000), "", {}, Evidence::no_record},
                   {span(SpanKind::copy, 0, 0), "conv1", Pass::backward_weights, Evidence::call}};
    trace.spans[0].span.launch = launch;
    trace.spans[2].span.bytes = Bytes{4096};
    return trace;
}

// A small run in which every field has a value: two measured steps, one skipped, one failed.
inline Run sample_run() {
    Run run;
    run.created = "2026-11-21T13:15:00Z";
    run.settings.backend = "onednn";
    run.settings.network = "alexnet";
    run.settings.batch = 32;
    run.settings.execution.numerics.seed = 7;
    run.settings.execution.scheduling.threads = 2;
    run.settings.unknown = {{"policy", "warmup=3 min_time=0.5"},
                            {"first-layer-gradient", "omitted"}};
    const auto step = [](const char* layer, const char* operation, Pass pass, Measurement time) {
        return StepResult{.layer = layer,
                          .operation = operation,
                          .pass = pass,
                          .kind = StepKind::compute,
                          .implementation = "jit:avx512_core",
                          .algorithm = "direct",
                          .layout = "nchw -> nChw16c",
                          .problem = std::string(operation) + ":in32x3x224x224",
                          .workspace = {4096},
                          .flops = {28.7e9},
                          .read = {1e6},
                          .written = {2e6},
                          .time = std::move(time)};
    };
    run.steps = {
        step("conv1", "convolution", Pass::forward, Samples{{{0.1}, {1.0 / 3}, {0.2}}}),
        step("conv1", "convolution", Pass::backward_weights, Samples{{{0.4}}}),
        step("norm1", "lrn", Pass::forward, Skipped{"lrn: not in onednn"}),
        step("pool1", "max_pooling", Pass::forward, Failed{"differs from the reference by 3e-2"})};
    run.steps[1].kind = StepKind::reorder;
    run.steps[1].algorithm = "";
    run.steps[0].launch = Seconds{1.25e-6};
    run.steps[0].interval = {Seconds{0.15}, Seconds{0.25}, "left-out, any product on 5 devices"};
    run.interval = {Seconds{0.5}, Seconds{1.5}, "left-out, network on a gpu on 6 devices"};
    run.steps[0].alias = run.steps[1].alias = "node_Conv_7";
    run.whole = {.end_to_end = {{{0.7}, {0.8}, {0.9}}},
                 .instrumented = {{{0.75}, {0.85}}},
                 .calibration = {{{0.01}}}};
    run.steps[0].metrics = {{.name = "dram_read", .unit = "B", .value = 12345.5},
                            {.name = "l2_hit_rate", .unit = "%", .reason = "not allowed here"}};
    run.steps[0].counted_at = 0;
    run.steps[1].metrics = {{.name = "dram_read", .unit = "B", .value = 12345.5}};
    run.steps[1].counted_at = 0;
    run.verified = {.compared = 1, .without_reference = 2};
    run.steps[0].verified = {.error = 3e-6, .tolerance = 1e-4};
    run.trace = sample_trace();
    run.infeed = sample_infeed_result();
    run.predicted_memory = {123456789};
    run.measured_memory = Bytes{234567890};
    run.empty_step = Seconds{1.25e-6};
    run.flags = {{DoubtKind::drift, "The last samples are 3 % slower."},
                 {DoubtKind::steal, "Others ran."}};
    run.provenance = {{"cpu.model", "a \"processor\"\n"}, {"strata.version", "0.1.0"}};
    run.device = Device{.name = "here", .model = "A model", .threads = 2};
    return run;
}

// The same run before its first sample.
inline Run planned_run() {
    Run run = sample_run();
    for (StepResult& step : run.steps) {
        if (auto* samples = std::get_if<Samples>(&step.time)) {
            samples->values.clear();
        }
    }
    run.state = RunState::partial;
    run.whole = {};
    run.flags.clear();
    run.measured_memory.reset();
    run.empty_step.reset();
    return run;
}

// Everything about a run as text, so that differences between two runs are visible.
std::string described(const Run& run);

}  // namespace strata
