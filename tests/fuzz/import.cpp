// SPDX-License-Identifier: MIT
// Any bytes as what other tools record, in each of STRATA_FUZZ_FORMATS, and as an imported run with
// and without a network beside it.
#include "base/error.h"
#include "base/text.h"
#include "graph/builder.h"
#include "import/devices.h"
#include "import/dnnmark.h"
#include "import/formats.h"
#include "import/paradnn.h"
#include "import/run.h"
#include "tests/support/temporary_directory.h"

namespace strata {
namespace {

// Two convolutions, a product and their neighbours, as many recordings have them.
NetworkSteps small_network() {
    GraphBuilder builder("net");
    const Convolution same{
        .out_channels = 8, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
    TensorId x = builder.input("x", {{4, 3, 16, 16}});
    x = builder.add("conv1", same, {x});
    x = builder.add("relu1", Activation{}, {x});
    x = builder.add("layer1.0.conv2", same, {x});
    builder.add("fc", FullyConnected{.out_features = 10}, {x});
    return {.graph = builder.finish()};
}

void make_runs(const RecordedProfile& profile) {
    static const NetworkSteps network = small_network();
    for (const NetworkSteps* beside : {static_cast<const NetworkSteps*>(nullptr), &network}) {
        try {
            imported_run(profile, {.network = "net"}, beside);
        } catch (const Error&) {
        }
    }
}

void import_as(std::string_view format, const std::filesystem::path& file) {
    try {
        if (format == "dnnmark-kernels") {
            read_dnnmark_kernels(file);
            return;
        }
        ByteSource source(file);
        if (format == "paradnn") {
            const ParadnnResults results = read_paradnn(source);
            for (const ParadnnEntry& entry : results.entries) {
                imported_run(entry, results.platform, {.device = "v100"}, {});
                observation_of(entry);
            }
            return;
        }
        for (const RecordedProfile& part : by_device(format_for(file, format).read(source))) {
            make_runs(part);
        }
    } catch (const Error&) {
    }
}

}  // namespace
}  // namespace strata

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const strata::TemporaryDirectory directory;
    const auto file = directory.write("recording", {reinterpret_cast<const char*>(data), size});
    for (const std::string_view format : strata::split(STRATA_FUZZ_FORMATS, ',')) {
        strata::import_as(format, file);
    }
    return 0;
}
