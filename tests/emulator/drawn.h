// Lowered kernels in the languages that are emulated, and a launch of one on plain values.
#pragma once

#include "emulate.h"
#include "renderer/render.h"
#include "support/schedule_fuzz.h"
#include "uop/evaluate_ranged.h"

namespace tg::emulator {

inline std::string render(Language language, const LinearKernel& k) {
  switch (language) {
    case Language::Cuda:
      return render_cuda(k, {.has_async_copy = true});
    case Language::Metal:
      return render_metal(k, {});
    case Language::OpenCl:
      return render_opencl(k, {.has_fma = true, .narrow_index = true, .has_half = true});
  }
  return {};
}

/// How tests are named.
inline std::string name_of(Language language) {
  return language == Language::Cuda ? "Cuda" : language == Language::Metal ? "Metal" : "OpenCl";
}

struct Drawn {
  test::ZooKernel kernel;
  LinearKernel linear;
  std::string text;
};

// What the kernel did wrong, or nothing; `params` hold its results then.
inline std::string run_drawn(Language language, const Code& code, const Drawn& d,
                             std::vector<TensorValue>& params, Shape launch) {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<Argument> arguments;
  for (const TensorValue& p : params) bytes.push_back(p.to_bytes());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool written = i < d.linear.params.size() && d.linear.params[i].written;
    arguments.push_back(
        Argument::array(bytes[i].data(), static_cast<int64_t>(bytes[i].size()), written));
    if (language == Language::OpenCl) arguments.push_back(Argument::value(0));
  }
  int64_t end = d.linear.chunks;
  arguments.push_back(language == Language::Metal ? Argument::array(&end, sizeof end, false)
                                                  : Argument::value(end));
  launch.group_size = d.linear.group_size;
  std::string wrong = run(code, arguments, launch);
  for (size_t i = 0; i < params.size(); ++i)
    params[i] = TensorValue::from_bytes(params[i].shape, params[i].dtype, bytes[i]);
  return wrong;
}

}  // namespace tg::emulator
