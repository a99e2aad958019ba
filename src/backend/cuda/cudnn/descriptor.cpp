// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/descriptor.h"

#include "backend/cuda/device/machine.h"
#include "backend/device_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace strata::cuda {

namespace {

void require(cudnnStatus_t status, const char* doing) {
    if (status == CUDNN_STATUS_SUCCESS) {
        return;
    }
    std::array<char, 512> text = {};
    cudnnGetLastErrorString(text.data(), text.size());
    throw DeviceError(
        DeviceTrouble::library_refused,
        fmt::format("cuDNN, {}: {} ({})", doing, text.data(), cudnnGetErrorString(status)));
}

}  // namespace

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
    require(cudnnBackendCreateDescriptor(type, &descriptor_), "making a descriptor");
}

Descriptor::~Descriptor() {
    if (descriptor_ != nullptr && !device_hangs()) {
        cudnnBackendDestroyDescriptor(descriptor_);
    }
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, nullptr)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

void Descriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                     std::int64_t count, const void* values) {
    require(cudnnBackendSetAttribute(descriptor_, name, type, count, values),
            "setting an attribute");
}

void Descriptor::set(cudnnBackendAttributeName_t name, std::int64_t value) {
    set(name, CUDNN_TYPE_INT64, 1, &value);
}

void Descriptor::set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values) {
    set(name, CUDNN_TYPE_INT64, std::ssize(values), values.data());
}

void Descriptor::set(cudnnBackendAttributeName_t name, const Descriptor& value) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.descriptor_);
}

void Descriptor::set(cudnnBackendAttributeName_t name, const std::string& text) {
    set(name, CUDNN_TYPE_CHAR, std::ssize(text) + 1, text.c_str());
}

void Descriptor::finalize() {
    require(cudnnBackendFinalize(descriptor_), "finalising a descriptor");
}

std::size_t Descriptor::get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                            std::int64_t room, void* values) const {
    std::int64_t count = 0;
    require(cudnnBackendGetAttribute(descriptor_, name, type, room, &count, values),
            "reading an attribute");
    return static_cast<std::size_t>(std::min(room, count));
}

std::vector<Descriptor> Descriptor::children(cudnnBackendAttributeName_t name,
                                             cudnnBackendDescriptorType_t type,
                                             std::int64_t maximum) const {
    std::vector<Descriptor> children;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = 0; i < maximum; ++i) {
        raw.push_back(children.emplace_back(type).descriptor_);
    }
    const std::size_t count =
        raw.empty() ? 0 : get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, maximum, raw.data());
    children.erase(children.begin() + static_cast<std::ptrdiff_t>(count), children.end());
    return children;
}

std::int64_t Descriptor::get_integer(cudnnBackendAttributeName_t name) const {
    std::int64_t value = 0;
    get(name, CUDNN_TYPE_INT64, 1, &value);
    return value;
}

std::int64_t Descriptor::count(cudnnBackendAttributeName_t name,
                               cudnnBackendAttributeType_t type) const {
    std::int64_t count = 0;
    require(cudnnBackendGetAttribute(descriptor_, name, type, 0, &count, nullptr),
            "reading an attribute's size");
    return count;
}

std::string Descriptor::get_text(cudnnBackendAttributeName_t name) const {
    std::string text(static_cast<std::size_t>(count(name, CUDNN_TYPE_CHAR)), '\0');
    get(name, CUDNN_TYPE_CHAR, std::ssize(text), text.data());
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
}

Descriptor device_descriptor(const DeviceProperties& properties) {
    Descriptor descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, to_json(properties));
    descriptor.finalize();
    return descriptor;
}

PlanTarget::PlanTarget(const DeviceProperties& properties) : handle_(properties.cudnn) {
    if (handle_ == nullptr) {
        described_ = device_descriptor(properties);
    }
}

void PlanTarget::set_on(Descriptor& descriptor,
                        std::optional<cudnnBackendAttributeName_t> by_handle,
                        std::optional<cudnnBackendAttributeName_t> by_description) const {
    if (described_ && by_description) {
        descriptor.set(*by_description, *described_);
    } else if (!described_ && by_handle) {
        descriptor.set(*by_handle, CUDNN_TYPE_HANDLE, 1, &handle_);
    }
}

std::string description_of_device(int device) {
    Descriptor descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    const auto number = static_cast<std::int32_t>(device);
    descriptor.set(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, CUDNN_TYPE_INT32, 1, &number);
    descriptor.finalize();
    return descriptor.get_text(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION);
}

}  // namespace strata::cuda
