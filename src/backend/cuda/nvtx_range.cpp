// SPDX-License-Identifier: MIT
#include "backend/cuda/nvtx_range.h"

#include <nvtx3/nvToolsExt.h>

namespace strata::cuda {

namespace {

// Tools identify a domain by its handle, so there is one for the lifetime of the process.
nvtxDomainHandle_t domain() {
    static nvtxDomainHandle_t const handle = nvtxDomainCreateA("strata");
    return handle;
}

}  // namespace

NvtxRange::NvtxRange(const std::string& name) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name.c_str();
    nvtxDomainRangePushEx(domain(), &attributes);
}

NvtxRange::~NvtxRange() {
    nvtxDomainRangePop(domain());
}

}  // namespace strata::cuda
