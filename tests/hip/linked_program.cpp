// A HIP program as others write them: made with AMD's header, linked with libamdhip64, and nothing of
// wavesmith in it. Loads the module of its first argument, runs scale_add and prints the device's target;
// exit status 0 when the numbers are right.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <hip/hip_runtime_api.h>

namespace {

void check(hipError_t status, const char* what) {
  if (status == hipSuccess) return;
  std::printf("%s: %s\n", what, hipGetErrorName(status));
  std::exit(1);
}

}  // namespace

int main(int count_of_words, char** words) {
  if (count_of_words < 2) return 2;
  hipDeviceProp_t properties;
  check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
  std::printf("%s %d\n", properties.gcnArchName, properties.multiProcessorCount);
  hipModule_t module;
  hipFunction_t kernel;
  check(hipModuleLoad(&module, words[1]), "hipModuleLoad");
  check(hipModuleGetFunction(&kernel, module, "scale_add"), "hipModuleGetFunction");
  unsigned count = 150;
  float scale = 4;
  std::vector<float> values(count), out(count);
  for (unsigned i = 0; i < count; ++i) values[i] = 0.1f * static_cast<float>(i);
  hipDeviceptr_t in, result;
  check(hipMalloc(&in, 2 * count * sizeof(float)), "hipMalloc");
  check(hipMalloc(&result, count * sizeof(float)), "hipMalloc");
  if (count_of_words > 2) result = static_cast<float*>(in) + 100;
  check(hipMemcpyHtoD(in, values.data(), count * sizeof(float)), "hipMemcpyHtoD");
  void* parameters[] = {&result, &in, &in, &scale, &count};
  check(hipModuleLaunchKernel(kernel, 2, 1, 1, 100, 1, 1, 0, nullptr, parameters, nullptr),
        "hipModuleLaunchKernel");
  check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  check(hipMemcpyDtoH(out.data(), result, count * sizeof(float)), "hipMemcpyDtoH");
  int wrong = 0;
  for (unsigned i = 0; i < count; ++i) {
    const float product = values[i] * scale;
    wrong += out[i] != product + values[i];
  }
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
