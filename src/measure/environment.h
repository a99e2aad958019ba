// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace strata {

// The state of this machine in words, for a run's provenance. An unknown fact has no key:
//
//   cpu.model            AMD EPYC 7B13                  cgroup.cpu_quota    2 processors
//   cpu.logical          64                             memory.total        25277112320 bytes
//   cpu.affinity         0-1,4                          memory.available    ...
//   cpu.cores            3                              memory.huge_pages   madvise
//   cpu.governor         performance                    kernel              6.1.0-18-amd64
//   cpu.frequency        2600 MHz                       load                0.42 (1 minute)
//   cpu.turbo            on                             host                build7
//   cpu.smt              off                            hypervisor          KVM
//   cpu.microcode        0x2b000461                     perf_event.cycles   can be counted
//   perf_event_paranoid  2
//
// The cores are those allowed by this process's affinity. Reads /proc and /sys under `root`.
std::map<std::string, std::string> describe_environment(const std::filesystem::path& root = "/");

// The variables that change the behaviour of libraries (NVIDIA_TF32_OVERRIDE, CUBLAS_*, CUDNN_*,
// ONEDNN_*, OMP_* and others), from "NAME=value" entries up to a null, as in environ(7); by
// name.
std::map<std::string, std::string> library_variables(const char* const* entries);
// The same for this process.
std::map<std::string, std::string> library_variables();

}  // namespace strata
