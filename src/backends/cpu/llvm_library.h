// libLLVM, opened at run time through its stable C interface: no header, nothing to link. Finding
// the file costs a few system calls; opening it some 15 ms, so that is left until something must be
// compiled. What is done with it: llvm_compiler.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tg::cpu {

struct LlvmFile {
  std::string path;
  int version = 0;       ///< major; 0 if the name does not tell
  std::string identity;  ///< changes when the file does
};

/// The file that option TG_LLVM names, or the best one found; empty if there is none. Opens
/// nothing.
std::optional<LlvmFile> find_llvm();
/// Whether find_llvm() finds one, asked at every realize.
bool has_llvm();
/// The sentence that says what to do where find_llvm() finds nothing.
std::string missing_llvm_advice();

// Opaque types of the C interface.
struct LlvmContext;
struct LlvmModule;
struct LlvmBuffer;
struct LlvmMachineRef;
struct LlvmTargetRef;
struct LlvmDataRef;
struct LlvmErrorRef;
struct LlvmOptionsRef;
struct LlvmDiagnostic;
struct LlvmDisassembler;

/// The functions that we use, named after those of llvm-c without their prefix. Flags are 0 for
/// success unless a comment says otherwise; texts must be given back by DisposeMessage.
struct LlvmApi {
  void (*InstallFatalErrorHandler)(void (*)(const char* reason));
  LlvmContext* (*ContextCreate)();
  void (*ContextDispose)(LlvmContext*);
  void (*ContextSetDiagnosticHandler)(LlvmContext*, void (*)(LlvmDiagnostic*, void*), void*);
  char* (*GetDiagInfoDescription)(LlvmDiagnostic*);
  int (*GetDiagInfoSeverity)(LlvmDiagnostic*);  ///< 0 for an error
  LlvmBuffer* (*CreateMemoryBufferWithMemoryRange)(const char*, size_t, const char* name,
                                                   int needs_zero);
  const char* (*GetBufferStart)(LlvmBuffer*);
  size_t (*GetBufferSize)(LlvmBuffer*);
  void (*DisposeMemoryBuffer)(LlvmBuffer*);
  int (*ParseIRInContext)(LlvmContext*, LlvmBuffer*, LlvmModule**,
                          char** error);                       ///< eats the buffer
  int (*VerifyModule)(LlvmModule*, int action, char** error);  ///< action 2: return the status
  void (*DisposeModule)(LlvmModule*);
  void (*DisposeMessage)(char*);
  int (*GetTargetFromTriple)(const char*, LlvmTargetRef**, char** error);
  LlvmMachineRef* (*CreateTargetMachine)(LlvmTargetRef*, const char* triple, const char* cpu,
                                         const char* features, int level, int relocation,
                                         int model);
  void (*DisposeTargetMachine)(LlvmMachineRef*);
  LlvmDataRef* (*CreateTargetDataLayout)(LlvmMachineRef*);
  void (*DisposeTargetData)(LlvmDataRef*);
  void (*SetModuleDataLayout)(LlvmModule*, LlvmDataRef*);
  char* (*GetHostCPUName)();
  char* (*GetHostCPUFeatures)();
  LlvmOptionsRef* (*CreatePassBuilderOptions)();
  void (*DisposePassBuilderOptions)(LlvmOptionsRef*);
  LlvmErrorRef* (*RunPasses)(LlvmModule*, const char* passes, LlvmMachineRef*, LlvmOptionsRef*);
  char* (*GetErrorMessage)(LlvmErrorRef*);
  void (*DisposeErrorMessage)(char*);
  int (*TargetMachineEmitToMemoryBuffer)(LlvmMachineRef*, LlvmModule*, int kind, char** error,
                                         LlvmBuffer**);  ///< kind 1: object
  LlvmDisassembler* (*CreateDisasmCPUFeatures)(const char* triple, const char* cpu,
                                               const char* features, void*, int, void*, void*);
  size_t (*DisasmInstruction)(LlvmDisassembler*, uint8_t*, uint64_t bytes, uint64_t address,
                              char* text, size_t text_size);
  void (*DisasmDispose)(LlvmDisassembler*);
};

/// What LLVM could not do, as its own text; becomes a DeviceError where the kernel's name is known.
struct LlvmFailure {
  std::string reason;
};

/// While one lives, an error for which LLVM would end the process is thrown as LlvmFailure instead
/// on this thread. Modules are verified and give LLVM no reason for one; should it find one, the
/// process lives, but what LLVM held at that moment is half done and must never be touched again.
class LlvmScope {
 public:
  LlvmScope();
  ~LlvmScope();
  /// True from such an error to the next scope of this thread.
  static bool gave_up();
  LlvmScope(const LlvmScope&) = delete;
  LlvmScope& operator=(const LlvmScope&) = delete;
};

/// The functions of `file`, opened and initialised for this processor at the first call and kept
/// for the life of the process. Throws DeviceError if it cannot be opened or lacks a function.
/// Thread-safe.
const LlvmApi& llvm_api(const LlvmFile& file);
/// If `file` is open, takes its instructions out of resident memory until they run again. Bytes
/// that may have left. Thread-safe.
int64_t release_llvm_code(const LlvmFile& file);

}  // namespace tg::cpu
