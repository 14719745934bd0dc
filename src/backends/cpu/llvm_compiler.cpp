// See llvm_compiler.h.
#include "backends/cpu/llvm_compiler.h"

#include <memory>
#include <type_traits>

#include "backends/cpu/llvm_places.h"
#include "backends/cpu/object_code.h"
#include "backends/cpu/target.h"
#include "backends/cpu/toolchain.h"
#include "runtime/failed_source.h"
#include "support/check.h"
#include "support/os/os.h"
#include "support/text.h"

namespace tg::cpu {
namespace {

/// Values only need tidying: arrays into registers, repeated index arithmetic once, what does not
/// change out of loops, and the short loops that the text marks written out. Everything that would
/// make vectors is left out. {0} is instcombine, which since LLVM 18 must be told not to insist
/// that one round of it is enough.
constexpr std::string_view kPasses =
    "function(sroa,early-cse<memssa>,simplifycfg,{0},loop-mssa(licm),loop-unroll<O1>,"
    "early-cse<memssa>,{0},simplifycfg)";
constexpr std::string_view kCombine = "instcombine<no-verify-fixpoint>",
                           kOlderCombine = "instcombine";
constexpr int kLevel =
    1;  // of code generation: all that matters here, at three quarters of the time
constexpr int kPositionIndependent = 2;
constexpr int kObjectFile = 1;
constexpr int kReturnStatus = 2;
/// LLVM ends the process when memory runs out, so it is asked for beforehand.
constexpr size_t kWorkBytes = size_t{96} << 20;
/// Their compilation takes a hundred times as long as reading libLLVM's pages again.
constexpr int64_t kKernelsBeforeRest = 16;

#if defined(__aarch64__)
constexpr std::string_view kProcessor = "aarch64";
constexpr const char* kGenericProcessor = "generic";
#else
constexpr std::string_view kProcessor = "x86_64";
constexpr const char* kGenericProcessor = "x86-64";
#endif

const std::string& triple() {
  static const std::string text = fmt::format("{}-{}", kProcessor, kTripleEnd);
  return text;
}

LlvmMachine machine_of(const Target& target) {
  LlvmMachine m{
      .triple = triple(), .vector_bits = 8 * target.vector_bytes, .has_fma = target.has_fma};
  m.vector_registers = target.vector_registers;
  m.has_masked_access = target.has_masked_access;
#if defined(__x86_64__)
  if (target.arch == "native") {
    m.has_half_casts = __builtin_cpu_supports("f16c") != 0;
    m.has_rounding = __builtin_cpu_supports("sse4.1") != 0;
  } else if (target.arch != "generic") {  // a level from 2 on
    m.has_half_casts = target.arch != "x86-64-v2";
    m.has_rounding = true;
  }
#else
  m.has_half_casts = m.has_rounding = true;
#endif
  return m;
}

std::string processor_of(const Target& target) {
  if (target.arch == "native") return {};
  return target.arch == "generic" ? kGenericProcessor : target.arch;
}

// LLVM's own text, freed at the end.
class Message {
 public:
  explicit Message(void (*dispose)(char*)) : dispose_(dispose) {}
  Message(void (*dispose)(char*), char* text) : dispose_(dispose), text_(text) {}
  ~Message() {
    if (text_ != nullptr) dispose_(text_);
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  char** place() { return &text_; }
  const char* c_str() const { return text_ == nullptr ? "" : text_; }

 private:
  void (*dispose_)(char*);
  char* text_ = nullptr;
};

// Given back at the end, unless LLVM gave up in the middle of using it.
template <typename T>
struct Dispose {
  void (*dispose)(T*);
  void operator()(T* object) const {
    if (!LlvmScope::gave_up()) dispose(object);
  }
};
template <typename T>
using Owned = std::unique_ptr<T, Dispose<T>>;
template <typename T>
Owned<T> own(T* object, void (*dispose)(T*)) {
  return {object, {dispose}};
}

struct Diagnostics {
  const LlvmApi& api;
  std::string errors;
};

void collect(LlvmDiagnostic* info, void* user) {
  auto& d = *static_cast<Diagnostics*>(user);
  if (d.api.GetDiagInfoSeverity(info) != 0) return;
  const Message text(d.api.DisposeMessage, d.api.GetDiagInfoDescription(info));
  d.errors += text.c_str();
}

void reserve_memory() {
  void* probe = os::map_pages(kWorkBytes, os::Access::Nothing);
  if (probe == nullptr)
    throw LlvmFailure{fmt::format("LLVM needs {} MiB to work in", kWorkBytes >> 20)};
  os::unmap_pages(probe, kWorkBytes);
}

// All that this machine's processor has, but features_left_out().
std::string native_features(const LlvmApi& api) {
  std::string features = Message(api.DisposeMessage, api.GetHostCPUFeatures()).c_str();
  for (std::string_view feature : features_left_out()) {
    const size_t at = (features + ",").find(fmt::format("+{},", feature));
    if (at != std::string::npos) features[at] = '-';
  }
  return features;
}

// For `processor`, or this machine's with all that it has if that is empty.
Owned<LlvmMachineRef> make_machine(const LlvmApi& api, const std::string& processor) {
  const bool native = processor.empty();
  Message error(api.DisposeMessage);
  LlvmTargetRef* target = nullptr;
  if (api.GetTargetFromTriple(triple().c_str(), &target, error.place()) != 0)
    throw LlvmFailure{error.c_str()};
  const Message cpu(api.DisposeMessage, api.GetHostCPUName());
  const std::string features = native ? native_features(api) : "";
  auto machine = own(
      api.CreateTargetMachine(target, triple().c_str(), native ? cpu.c_str() : processor.c_str(),
                              features.c_str(), kLevel, kPositionIndependent, 0),
      api.DisposeTargetMachine);
  if (machine == nullptr) throw LlvmFailure{"LLVM knows no code generator for this processor"};
  return machine;
}

// Passes that this version does not know are refused before any has run.
void run_passes(const LlvmApi& api, LlvmModule* module, LlvmMachineRef* machine) {
  const auto settings = own(api.CreatePassBuilderOptions(), api.DisposePassBuilderOptions);
  std::string reason;
  for (const std::string_view combine : {kCombine, kOlderCombine}) {
    const std::string passes = fmt::format(kPasses, combine);
    LlvmErrorRef* failed = api.RunPasses(module, passes.c_str(), machine, settings.get());
    if (failed == nullptr) return;
    reason = Message(api.DisposeErrorMessage, api.GetErrorMessage(failed)).c_str();
  }
  throw LlvmFailure{reason};
}

std::string compile_module(const LlvmApi& api, const std::string& source,
                           const std::string& processor) {
  reserve_memory();
  const LlvmScope scope;
  Diagnostics diagnostics{api, {}};
  auto require = [&](bool ok, const char* reason) {
    if (!diagnostics.errors.empty()) throw LlvmFailure{diagnostics.errors};
    if (!ok) throw LlvmFailure{reason};
  };
  const auto context = own(api.ContextCreate(), api.ContextDispose);
  api.ContextSetDiagnosticHandler(context.get(), collect, &diagnostics);
  Message error(api.DisposeMessage);
  LlvmModule* parsed = nullptr;
  LlvmBuffer* text =
      api.CreateMemoryBufferWithMemoryRange(source.c_str(), source.size(), "kernel", 1);
  const bool read = api.ParseIRInContext(context.get(), text, &parsed, error.place()) == 0;
  const auto module = own(parsed, api.DisposeModule);
  require(read, error.c_str());
  const Owned<LlvmMachineRef> machine = make_machine(api, processor);
  const auto layout = own(api.CreateTargetDataLayout(machine.get()), api.DisposeTargetData);
  api.SetModuleDataLayout(module.get(), layout.get());
  Message invalid(api.DisposeMessage);
  const bool valid = api.VerifyModule(module.get(), kReturnStatus, invalid.place()) == 0;
  require(valid, invalid.c_str());
  run_passes(api, module.get(), machine.get());
  Message refused(api.DisposeMessage);
  LlvmBuffer* emitted = nullptr;
  const bool made = api.TargetMachineEmitToMemoryBuffer(machine.get(), module.get(), kObjectFile,
                                                        refused.place(), &emitted) == 0;
  const auto object = own(emitted, api.DisposeMemoryBuffer);
  require(made, refused.c_str());
  return {api.GetBufferStart(object.get()), api.GetBufferSize(object.get())};
}

}  // namespace

LlvmCompiler::LlvmCompiler(LlvmFile file, const Target& target)
    : file_(std::move(file)), processor_(processor_of(target)), machine_(machine_of(target)) {
  identity_ = fmt::format("{}\n{}\n{}", file_.identity, kPasses, kLevel);
  identity_ += processor_.empty() ? processor_fingerprint() : processor_;
  for (std::string_view feature : features_left_out()) identity_ += fmt::format(" -{}", feature);
}

std::string LlvmCompiler::render(std::span<const LinearKernel> kernels) const {
  TG_CHECK(kernels.size() == 1, "{} kernels in one module", kernels.size());
  return render_llvm(kernels[0], machine_);
}

std::string LlvmCompiler::description() const {
  return file_.version > 0 ? fmt::format("LLVM {} ({})", file_.version, file_.path)
                           : fmt::format("LLVM ({})", file_.path);
}

std::string LlvmCompiler::compile(const std::string& source, const std::string& what) const {
  const LlvmApi& api = llvm_api(file_);
  try {
    return compile_module(api, source, processor_);
  } catch (const LlvmFailure& failure) {
    refused_source(description(), what, trim(failure.reason), {}, source, ".ll",
                   "Hint: CLANG=1 compiles through C.");
  }
}

CodeRef LlvmCompiler::load(const std::string& source, const std::string& what) const {
  const std::string key = identity_ + '\0' + source;
  if (const auto object = cache_.find(key)) {
    try {
      return load_object(*object, what);
    } catch (const DeviceError&) {
      // Whole, but not loadable here; it is made again below.
    }
  }
  const std::string object = compile(source, what);
  CodeRef code = load_object(object, what);
  cache_.store(key, object);
  compiled_.fetch_add(1, std::memory_order_relaxed);
  return code;
}

void LlvmCompiler::rest() const {
  if (compiled_.load(std::memory_order_relaxed) < kKernelsBeforeRest) return;
  compiled_.store(0, std::memory_order_relaxed);
  release_llvm_code(file_);
}

std::string disassemble(std::span<const std::byte> instructions) {
  const auto file = find_llvm();
  if (!file) return "no disassembly: libLLVM is not found";
  const LlvmApi& api = llvm_api(*file);
  const Message cpu(api.DisposeMessage, api.GetHostCPUName()),
      features(api.DisposeMessage, api.GetHostCPUFeatures());
  const auto reader =
      own(api.CreateDisasmCPUFeatures(triple().c_str(), cpu.c_str(), features.c_str(), nullptr, 0,
                                      nullptr, nullptr),
          api.DisasmDispose);
  if (reader == nullptr) return "no disassembly: libLLVM has no reader for this processor";
  std::string out;
  auto* code =
      reinterpret_cast<uint8_t*>(const_cast<std::byte*>(instructions.data()));  // only read
  for (size_t at = 0; at < instructions.size();) {
    char text[256];
    const size_t bytes = api.DisasmInstruction(reader.get(), code + at, instructions.size() - at,
                                               at, text, sizeof(text));
    out += fmt::format("{:5x}:{}\n", at, bytes == 0 ? "\t?" : text);
    at += bytes == 0 ? 1 : bytes;
  }
  return out;
}

}  // namespace tg::cpu
