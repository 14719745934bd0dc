// A backend that takes kernels as lists of operations and has nothing but the text and the facts
// beside it. Its compiler is the interpreter's decoder, which sees every operation.
#include <cstring>
#include <string>
#include <vector>

#include "backends/interp/execute.h"
#include "support/text.h"
#include "tg/ir/text.h"
#include "tg/plugin/tg_backend.h"

namespace {

using tg::LinearKernel;

int device_of_this_process;

tg_status fail(tg_message* m, const std::string& why) {
  std::strncpy(m->text, why.c_str(), m->text_size - 1);
  return TG_FAILED;
}

tg_status open_device(void** device, tg_message*) {
  return *device = &device_of_this_process, TG_OK;
}
void close_device(void*) {}
tg_status facts(void*, tg_facts* f, tg_message*) {
  f->has_fma = 1;
  f->ops = "*";
  f->dtypes = "*";
  return TG_OK;
}
tg_status allocate(void*, int64_t bytes, void** address, tg_message*) {
  *address = std::aligned_alloc(64, static_cast<size_t>(bytes));
  return *address == nullptr ? TG_OUT_OF_MEMORY : TG_OK;
}
tg_status release(void*, void* address, int64_t, tg_message*) { return std::free(address), TG_OK; }
tg_status copy(void*, void* to, const void* from, int64_t bytes, tg_message*) {
  return std::memcpy(to, from, static_cast<size_t>(bytes)), TG_OK;
}

// The text of each kernel, by the lines `kernel NAME`.
std::vector<std::string> sections(const tg_module* m) {
  std::vector<std::string> out;
  for (const std::string_view line : tg::split({m->text, m->text_bytes}, '\n')) {
    if (line.starts_with("kernel ")) {
      out.emplace_back();
    } else if (!out.empty()) {
      out.back().append(line).append("\n");
    }
  }
  return out;
}

LinearKernel kernel_of(const tg_kernel& info, const std::string& text) {
  LinearKernel k;
  k.name = info.name;
  k.ops = tg::parse_list(text);
  for (uint32_t i = 0; i < info.buffer_count; ++i)
    k.params.push_back({.read = (info.buffer_uses[i] & TG_READ) != 0,
                        .written = (info.buffer_uses[i] & TG_WRITTEN) != 0});
  for (uint32_t i = 0; i < info.var_count; ++i) {
    for (const tg::UOp& u : k.ops) {
      if (u.is(tg::Op::Var) && tg::print(u).find(info.var_names[i]) != std::string::npos)
        k.vars.push_back(u);
    }
  }
  k.chunks = info.chunks;
  k.group_size = info.group_size;
  k.scratch_bytes = info.scratch_bytes;
  return k;
}

tg_status compile(void*, const tg_module* m, void** kernels, tg_message* message) {
  try {
    const std::vector<std::string> texts = sections(m);
    if (texts.size() != m->kernel_count) return fail(message, "kernels are missing in the text");
    for (uint32_t i = 0; i < m->kernel_count; ++i)
      kernels[i] = new tg::interp::Code(tg::interp::decode(kernel_of(m->kernels[i], texts[i])));
    return TG_OK;
  } catch (const std::exception& e) {
    return fail(message, e.what());
  }
}

void forget(void*, void* kernel) { delete static_cast<tg::interp::Code*>(kernel); }

tg_status launch(void*, const tg_call* calls, size_t count, tg_message* message) {
  try {
    for (size_t i = 0; i < count; ++i) {
      const tg_call& c = calls[i];
      tg::interp::execute(*static_cast<const tg::interp::Code*>(c.kernel),
                          {c.buffers, c.buffer_count}, {c.vars, c.var_count}, c.begin, c.end);
    }
    return TG_OK;
  } catch (const std::exception& e) {
    return fail(message, e.what());
  }
}

tg_status synchronize(void*, tg_message*) { return TG_OK; }

const tg_backend_v1 kTable = {.version = TG_BACKEND_VERSION,
                              .struct_size = sizeof(tg_backend_v1),
                              .name = "TEXT",
                              .preference = -5,
                              .source = TG_SOURCE_LINEAR,
                              .open = open_device,
                              .close = close_device,
                              .facts = facts,
                              .allocate = allocate,
                              .release = release,
                              .copy_in = copy,
                              .copy_out = copy,
                              .compile = compile,
                              .forget = forget,
                              .launch = launch,
                              .synchronize = synchronize,
                              .probe = nullptr,
                              .compiler = nullptr};

}  // namespace

const tg_backend_v1* tg_backend(uint32_t) { return &kTable; }
