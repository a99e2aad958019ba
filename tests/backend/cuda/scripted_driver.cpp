// SPDX-License-Identifier: MIT
// A minimal driver with which cuDNN builds plans for the engines that it compiles at run time: it
// accepts every kernel and runs none. Linked in place of the driver, under its name.

namespace {

constexpr int done = 0;
constexpr int no_such_thing = 500;
int thing = 0;

int give_handle(void** handle) {
    *handle = &thing;
    return done;
}

int give_count(int* count) {
    *count = 1;
    return done;
}

int give_first(int* number) {
    *number = 0;
    return done;
}

int give_text(const char** text) {
    *text = "scripted";
    return done;
}

}  // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
    *version = 13000;
    return done;
}
int cuGetExportTable() {
    return no_such_thing;
}
int cuLibraryLoadData(void** handle) {
    return give_handle(handle);
}
int cuLibraryLoadFromFile(void** handle) {
    return give_handle(handle);
}
int cuLibraryGetKernel(void** handle) {
    return give_handle(handle);
}
int cuCtxGetCurrent(void** handle) {
    return give_handle(handle);
}
int cuDevicePrimaryCtxRetain(void** handle) {
    return give_handle(handle);
}
int cuModuleLoadData(void** handle) {
    return give_handle(handle);
}
int cuModuleLoadDataEx(void** handle) {
    return give_handle(handle);
}
int cuModuleLoadFatBinary(void** handle) {
    return give_handle(handle);
}
int cuModuleGetFunction(void** handle) {
    return give_handle(handle);
}
int cuStreamGetCtx(void** handle) {
    return give_handle(handle);
}
int cuCtxPopCurrent(void** handle) {
    return give_handle(handle);
}
int cuDeviceGetCount(int* count) {
    return give_count(count);
}
int cuDeviceGetAttribute(int* count) {
    return give_count(count);
}
int cuFuncGetAttribute(int* count) {
    return give_count(count);
}
int cuKernelGetAttribute(int* count) {
    return give_count(count);
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* count) {
    return give_count(count);
}
int cuOccupancyMaxPotentialClusterSize(int* count) {
    return give_count(count);
}
int cuCtxGetDevice(int* number) {
    return give_first(number);
}
int cuDeviceGet(int* number) {
    return give_first(number);
}
int cuGetErrorName(int, const char** text) {
    return give_text(text);
}
int cuGetErrorString(int, const char** text) {
    return give_text(text);
}
int cuCtxGetLimit() {
    return done;
}
int cuCtxPushCurrent() {
    return done;
}
int cuDevicePrimaryCtxRelease() {
    return done;
}
int cuDevicePrimaryCtxReset() {
    return done;
}
int cuFuncSetAttribute() {
    return done;
}
int cuInit() {
    return done;
}
int cuKernelSetAttribute() {
    return done;
}
int cuLaunchCooperativeKernel() {
    return done;
}
int cuLaunchKernel() {
    return done;
}
int cuLaunchKernelEx() {
    return done;
}
int cuLibraryUnload() {
    return done;
}
int cuLinkAddData() {
    return done;
}
int cuLinkAddData_v2() {
    return done;
}
int cuLinkAddFile_v2() {
    return done;
}
int cuLinkComplete() {
    return done;
}
int cuLinkCreate() {
    return done;
}
int cuLinkCreate_v2() {
    return done;
}
int cuLinkDestroy() {
    return done;
}
int cuMemcpyDtoH_v2() {
    return done;
}
int cuModuleGetGlobal_v2() {
    return done;
}
int cuModuleUnload() {
    return done;
}
int cuStreamSynchronize() {
    return done;
}
int cuTensorMapEncodeTiled() {
    return done;
}
}
