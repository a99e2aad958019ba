// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/trouble.h"

#include "base/text.h"

#include <cupti_result.h>
#include <fmt/format.h>

#include <algorithm>

namespace strata::cuda {

namespace {

struct Advice {
    ProfilerTrouble trouble;
    const char* obstacle;
    const char* fix;
};

constexpr std::array advices = {
    Advice{ProfilerTrouble::no_library, "CUPTI is not found",
           "install the CUPTI of the CUDA version that strata was built with (it comes with the "
           "toolkit, and as nvidia-cuda-cupti on PyPI), or name its folder in "
           "STRATA_CUDA_LIBRARIES"},
    Advice{ProfilerTrouble::no_driver, "there is no working NVIDIA driver",
           "install one, or run on a machine with a GPU"},
    Advice{ProfilerTrouble::insufficient_privileges,
           "the driver lets only administrators read counters",
           "run as root or with CAP_SYS_ADMIN, or load the driver with "
           "NVreg_RestrictProfilingToAdminUsers=0"},
    Advice{ProfilerTrouble::another_profiler, "another profiler is attached to this process",
           "run without Nsight, ncu, nsys or a framework's own profiler"},
    Advice{ProfilerTrouble::hardware_busy, "the counters are in use by another process",
           "stop the other profiler or monitor (DCGM: dcgmi profile --pause)"},
    Advice{ProfilerTrouble::virtualized, "the GPU is virtual and its counters are not passed on",
           "run on the machine itself or with the whole GPU passed through"},
    Advice{ProfilerTrouble::virtualized_without_privileges,
           "the virtual GPU may not use its counters",
           "have the host enable profiling for it (vGPU: enable_profiling)"},
    Advice{ProfilerTrouble::confidential_computing, "confidential computing forbids counters",
           "turn it off for this GPU, or use its developer mode"},
    Advice{ProfilerTrouble::mig, "the GPU is divided (MIG) and this part has no counters",
           "run on an undivided GPU"},
    Advice{ProfilerTrouble::unsupported_device, "this GPU or this system is not supported",
           "run on a GPU of compute capability 7.0 or later, without WSL or SLI"},
    Advice{ProfilerTrouble::unknown_chip, "this CUPTI does not know the chip",
           "install a newer CUDA toolkit"},
    Advice{ProfilerTrouble::unknown_counter, "the chip has no such counter",
           "omit it (strata list metrics says which chips have which)"},
    Advice{ProfilerTrouble::old_library, "CUPTI, the driver and strata do not match",
           "install a driver and a CUPTI as new as the CUDA toolkit that strata was built with"},
    Advice{ProfilerTrouble::no_counters, "strata was built with a CUPTI older than CUDA 12.6",
           "build strata with CUDA 12.6 or later"},
    Advice{ProfilerTrouble::out_of_memory, "memory is exhausted",
           "count fewer layers at once or take a smaller --batch"},
    Advice{ProfilerTrouble::device_failed, "the device or its context has failed",
           "start again; if it persists, reset the GPU"},
    Advice{ProfilerTrouble::ranges_dropped, "ranges were dropped", "count fewer layers at once"},
    Advice{ProfilerTrouble::endless_passes, "the passes do not end", "count fewer metrics at once"},
    Advice{ProfilerTrouble::refused, "CUPTI refuses", "count fewer metrics, or none"},
};

// CUPTI 13.0's numbers for codes without a name in the headers of earlier versions.
constexpr int mig_device_not_supported = 43;
constexpr int sli_device_not_supported = 44;
constexpr int wsl_device_not_supported = 45;
constexpr int invalid_chip_name = 46;

struct Meaning {
    int code;
    ProfilerTrouble trouble;
};

constexpr std::array meanings = {
    Meaning{CUPTI_ERROR_INVALID_DEVICE, ProfilerTrouble::unsupported_device},
    Meaning{CUPTI_ERROR_INVALID_CONTEXT, ProfilerTrouble::device_failed},
    Meaning{CUPTI_ERROR_OUT_OF_MEMORY, ProfilerTrouble::out_of_memory},
    Meaning{CUPTI_ERROR_HARDWARE, ProfilerTrouble::device_failed},
    Meaning{CUPTI_ERROR_NOT_COMPATIBLE, ProfilerTrouble::old_library},
    Meaning{CUPTI_ERROR_NOT_INITIALIZED, ProfilerTrouble::no_driver},
    Meaning{CUPTI_ERROR_INVALID_METRIC_ID, ProfilerTrouble::unknown_counter},
    Meaning{CUPTI_ERROR_INVALID_METRIC_NAME, ProfilerTrouble::unknown_counter},
    Meaning{CUPTI_ERROR_HARDWARE_BUSY, ProfilerTrouble::hardware_busy},
    Meaning{CUPTI_ERROR_NOT_SUPPORTED, ProfilerTrouble::unsupported_device},
    Meaning{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, ProfilerTrouble::virtualized},
    Meaning{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, ProfilerTrouble::insufficient_privileges},
    Meaning{CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, ProfilerTrouble::another_profiler},
    Meaning{CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, ProfilerTrouble::unsupported_device},
    Meaning{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, ProfilerTrouble::another_profiler},
    Meaning{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
            ProfilerTrouble::virtualized_without_privileges},
    Meaning{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
            ProfilerTrouble::confidential_computing},
    Meaning{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, ProfilerTrouble::unsupported_device},
    Meaning{mig_device_not_supported, ProfilerTrouble::mig},
    Meaning{sli_device_not_supported, ProfilerTrouble::unsupported_device},
    Meaning{wsl_device_not_supported, ProfilerTrouble::unsupported_device},
    Meaning{invalid_chip_name, ProfilerTrouble::unknown_chip},
};

std::string sentence_of(ProfilerTrouble trouble, std::string_view doing, std::string_view detail) {
    const Advice& advice = advices.at(static_cast<std::size_t>(trouble));
    check(advice.trouble == trouble, "advices stand in the order of the troubles");
    return fmt::format("cannot {}: {}{}; {}", doing, advice.obstacle,
                       detail.empty() ? "" : fmt::format(" ({})", printable(detail)), advice.fix);
}

// CUPTI's name of a code. cuptiGetResultString is in the library that needs a driver.
std::string code_text(int code) {
    return fmt::format("CUPTI error {}", code);
}

}  // namespace

ProfilerError::ProfilerError(ProfilerTrouble trouble, std::string_view doing,
                             std::string_view detail)
    : Error(sentence_of(trouble, doing, detail), ExitCode::machine_cannot), trouble_(trouble) {}

ProfilerTrouble trouble_of(int code) {
    const auto* found = std::ranges::find(meanings, code, &Meaning::code);
    return found == meanings.end() ? ProfilerTrouble::refused : found->trouble;
}

void require_cupti(int code, std::string_view doing) {
    if (code != CUPTI_SUCCESS) {
        throw ProfilerError(trouble_of(code), doing, code_text(code));
    }
}

}  // namespace strata::cuda
