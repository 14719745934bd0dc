// See program.h.
#include "backends/plugin/program.h"

#include <algorithm>
#include <deque>

#include "runtime/failed_source.h"
#include "support/check.h"
#include "support/symbol.h"
#include "support/text.h"
#include "tg/ir/text.h"

namespace tg::plugin {
namespace {

// A tg_module with the arrays that it points to.
class Module {
 public:
  // `texts`: one for each kernel, or one for all.
  Module(std::span<const LinearKernel> kernels, const std::vector<std::string>& texts,
         const std::string& text) {
    uses_.resize(kernels.size());
    names_.resize(kernels.size());
    bytes_.resize(kernels.size());
    for (size_t i = 0; i < kernels.size(); ++i) {
      kernels_.push_back(describe(kernels[i], i));
      const std::string& own = texts[texts.size() == 1 ? 0 : i];
      measure(kernels[i], bytes_[i]);
      programs_.push_back(
          {.text = own.c_str(), .text_bytes = own.size(), .buffer_bytes = bytes_[i].data()});
    }
    module_ = {.struct_size = sizeof module_,
               .kernel_count = static_cast<uint32_t>(kernels_.size()),
               .kernels = kernels_.data(),
               .text = text.c_str(),
               .text_bytes = text.size(),
               .programs = programs_.data()};
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  const tg_module* get() const { return &module_; }

 private:
  tg_kernel describe(const LinearKernel& k, size_t i) {
    for (const ParamUse& use : k.params)
      uses_[i].push_back(
          static_cast<uint8_t>((use.read ? TG_READ : 0) | (use.written ? TG_WRITTEN : 0)));
    for (const UOp& v : k.vars) {
      var_names_.push_back(symbol_name(v.arg(0)));
      names_[i].push_back(var_names_.back().c_str());
    }
    return {.name = k.name.c_str(),
            .chunks = k.chunks,
            .least_chunks = k.least_chunks,
            .group_size = k.group_size,
            .scratch_bytes = k.scratch_bytes,
            .flops = k.flops,
            .bytes = k.bytes,
            .buffer_count = static_cast<uint32_t>(k.params.size()),
            .var_count = static_cast<uint32_t>(k.vars.size()),
            .buffer_uses = uses_[i].data(),
            .var_names = names_[i].data()};
  }

  static void measure(const LinearKernel& k, std::vector<int64_t>& bytes) {
    bytes.assign(k.params.size(), 0);
    for (const UOp& u : k.ops) {
      if (!u.is(Op::Param)) continue;
      int64_t& of = bytes[static_cast<size_t>(u.arg(0))];
      of = std::max(of, u.numel() * static_cast<int64_t>(dtype_size(u.dtype())));
    }
  }

  std::vector<std::vector<uint8_t>> uses_;
  std::vector<std::vector<const char*>> names_;
  std::deque<std::string> var_names_;
  std::vector<std::vector<int64_t>> bytes_;
  std::vector<tg_kernel> kernels_;
  std::vector<tg_program> programs_;
  tg_module module_{};
};

std::string what(std::span<const LinearKernel> kernels) {
  return kernels.size() == 1 ? "kernel " + kernels[0].name
                             : fmt::format("{} kernels", kernels.size());
}

void check_buffers(const Plugin& plugin, const Facts& facts,
                   std::span<const LinearKernel> kernels) {
  for (const LinearKernel& k : kernels) {
    if (facts.max_buffers > 0 && k.params.size() > static_cast<size_t>(facts.max_buffers))
      plugin.fail("compile", fmt::format("kernel {}: it has {} buffers, at most {} are possible",
                                         k.name, k.params.size(), facts.max_buffers));
  }
}

// A program for each kernel, or one for all.
std::vector<std::string> render_each(const Plugin& plugin, const Facts& facts,
                                     std::span<const LinearKernel> kernels) {
  if (plugin.table().source == TG_SOURCE_C) return {render_c(kernels)};
  std::vector<std::string> out;
  for (const LinearKernel& k : kernels) {
    switch (plugin.table().source) {
      case TG_SOURCE_LLVM:
        out.push_back(render_llvm(k, facts.llvm));
        break;
      case TG_SOURCE_CUDA:
        out.push_back(render_cuda(k, facts.cuda));
        break;
      case TG_SOURCE_METAL:
        out.push_back(render_metal(k, facts.metal));
        break;
      case TG_SOURCE_OPENCL:
        out.push_back(render_opencl(k, facts.opencl));
        break;
      default:
        out.push_back(fmt::format("kernel {}\n{}", k.name, print(k.ops)));
    }
  }
  return out;
}

}  // namespace

std::string render(const Plugin& plugin, const Facts& facts,
                   std::span<const LinearKernel> kernels) {
  return join(render_each(plugin, facts, kernels), "");
}

PluginProgram::PluginProgram(const Plugin& plugin, void* device, void* handle,
                             const LinearKernel& kernel)
    : plugin_(plugin),
      device_(device),
      handle_(handle),
      name_(kernel.name),
      buffers_(static_cast<uint32_t>(kernel.params.size())),
      vars_(static_cast<uint32_t>(kernel.vars.size())),
      chunks_(kernel.chunks),
      chunk_limit_(kernel.chunk_limit) {}

PluginProgram::~PluginProgram() {
  plugin_.call_quietly([&] { plugin_.table().forget(device_, handle_); });
}

tg_call PluginProgram::call(std::span<void* const> buffers, std::span<const int64_t> vars) const {
  TG_CHECK(buffers.size() == buffers_ && vars.size() == vars_,
           "{}: launched with {} buffers and {} variables, not {} and {}", name_, buffers.size(),
           vars.size(), buffers_, vars_);
  return {.kernel = handle_,
          .buffers = buffers.data(),
          .vars = vars.data(),
          .buffer_count = buffers_,
          .var_count = vars_,
          .begin = 0,
          .end = chunks_for(vars, chunks_, chunk_limit_)};
}

void PluginProgram::launch(std::span<void* const> buffers, std::span<const int64_t> vars) {
  const tg_call one = call(buffers, vars);
  if (one.begin == one.end) return;
  plugin_.call("launch", "kernel " + name_,
               [&](tg_message* m) { return plugin_.table().launch(device_, &one, 1, m); });
}

std::vector<Ref<Program>> compile_module(const Plugin& plugin, void* device, const Facts& facts,
                                         std::span<const LinearKernel> kernels) {
  check_buffers(plugin, facts, kernels);
  const std::vector<std::string> texts = render_each(plugin, facts, kernels);
  const std::string text = join(texts, "");
  const Module module(kernels, texts, text);
  std::vector<void*> handles(kernels.size(), nullptr);
  try {
    plugin.call("compile", what(kernels), [&](tg_message* m) {
      return plugin.table().compile(device, module.get(), handles.data(), m);
    });
  } catch (const DeviceError& e) {
    throw DeviceError(fmt::format("{} {}", e.what(), keep_failed_source(text, ".txt")));
  }
  std::vector<Ref<Program>> out;
  std::string missing;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (handles[i] == nullptr) {
      missing = kernels[i].name;
      continue;
    }
    out.push_back(Ref<Program>::adopt(new PluginProgram(plugin, device, handles[i], kernels[i])));
  }
  if (!missing.empty())
    plugin.fail("compile", fmt::format("kernel {}: it succeeded with the handle NULL", missing));
  return out;
}

}  // namespace tg::plugin
