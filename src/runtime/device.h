// What the engine asks of a device: memory, compilation, launches. A backend implements these four
// small interfaces in one folder of src/backends and is listed in the generated registration table;
// nobody includes a backend.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/linear.h"
#include "target/target.h"
#include "tg/ir/resource.h"

namespace tg {

/// Device memory: `data` is an address that the device's programs understand; on devices whose
/// memory the host can read it is also a host address (Allocator::host_visible).
struct Allocation {
  void* data = nullptr;
  int64_t bytes = 0;
};

class Allocator {
 public:
  virtual ~Allocator() = default;
  /// At least `bytes` bytes aligned to 64. Throws DeviceError naming device, bytes asked and in
  /// use.
  virtual Allocation allocate(int64_t bytes) = 0;
  virtual void free(Allocation a) = 0;
  virtual bool host_visible() const = 0;
  virtual void copy_in(Allocation to, const void* from, int64_t bytes) = 0;
  virtual void copy_out(void* to, Allocation from, int64_t bytes) = 0;
  /// Gives cached memory back to the system; bytes released.
  virtual int64_t release_cached() { return 0; }
  virtual int64_t bytes_in_use() const = 0;  ///< handed out and not freed
  virtual int64_t bytes_cached() const { return 0; }
};

/// A compiled kernel.
class Program : public Resource {
 public:
  /// Runs the kernel over all chunks and returns when it is done or queued (Device::synchronize
  /// waits).
  virtual void launch(std::span<void* const> buffers, std::span<const int64_t> vars) = 0;
};

/// A program with the arguments of one run.
struct Call {
  Program* program = nullptr;
  std::span<void* const> buffers;
  std::span<const int64_t> vars;
};

/// Launches of one device in order, as a captured call repeats them. A view.
struct CallSequence {
  std::span<const Call> calls;
  /// Behind the last call of each launch; calls of one launch do not depend on each other.
  std::span<const size_t> ends;
  /// Calls whose arguments may differ from run to run, ascending; those of the others never do.
  std::span<const size_t> varying;
};

/// A sequence that its device has prepared to run many times.
class Replay {
 public:
  virtual ~Replay() = default;
  /// Runs all launches in order, with the arguments that stand in the calls' arrays now. Returns
  /// when they are done or queued. One at a time.
  virtual void run() = 0;
};

/// A program with what it was made of, for DEBUG=4 and 7 and the documentation.
struct CompiledKernel {
  Ref<Program> program;
  std::string source;    ///< in the language that the device's compiler reads
  std::string assembly;  ///< machine code as text, only with DEBUG=7 and where there is any
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const std::string& name() const = 0;  ///< "CPU", "INTERP", "NULL"
  virtual const Target& target() const = 0;
  virtual Allocator& allocator() = 0;
  /// Compiles all kernels, in one invocation of the compiler where that is cheaper. Same order as
  /// given.
  virtual std::vector<CompiledKernel> compile(std::span<const LinearKernel> kernels) = 0;
  /// Runs programs of this device's compile() that do not depend on each other: none writes what
  /// another touches. Returns when all are done or queued. Devices that can run them side by side
  /// do; here they run in turn.
  virtual void launch(std::span<const Call> calls);
  /// Programs of this device's compile() as one object, for devices that can be told once what they
  /// will run many times; here the launches are handed over one by one at each run. The view's
  /// arrays, those of its calls and its programs must stay where they are as long as the replay.
  virtual std::unique_ptr<Replay> prepare(const CallSequence& sequence);
  /// Nothing more will be launched soon: what was kept back to be handed over together goes out.
  virtual void submit() {}
  virtual void synchronize() {}
  /// Launches `call`, waits for it, and says how many seconds it ran: by the device's own clock
  /// where there is one, without what was queued before and without the way there and back. Here
  /// by the host's clock, which is right for devices that run what they are given at once.
  virtual double timed(const Call& call);
  /// Which compiler makes its kernels, for people: "LLVM 19 (/usr/lib/…)". Empty if there is none.
  virtual std::string compiler() const { return {}; }
  /// Memory of the device, used or not; 0 if that is not known.
  virtual int64_t memory_bytes() const { return 0; }
};

/// A question to a backend: a plain function, or one with the object that it is about, for backends
/// that are made at run time.
template <typename R>
class BackendQuestion {
 public:
  constexpr BackendQuestion(R (*plain)()) : plain_(plain) {}
  /// `object` must live as long as the process.
  constexpr BackendQuestion(R (*about)(const void* object), const void* object)
      : about_(about), object_(object) {}
  R operator()() const { return plain_ != nullptr ? plain_() : about_(object_); }

 private:
  R (*plain_)() = nullptr;
  R (*about_)(const void*) = nullptr;
  const void* object_ = nullptr;
};

/// The preference of backends for graphics processors, above that of the processor.
inline constexpr int kGraphicsPreference = 20;

/// Descriptor of a backend.
struct Backend {
  std::string_view name;  ///< upper case, as in DEV=CPU
  int preference;  ///< the usable backend with the highest is the default; negative: never while
                   ///< there are others
  /// Empty if the backend can be used here, else the reason, as a sentence that says what to do.
  BackendQuestion<std::string> probe;
  BackendQuestion<std::unique_ptr<Device>> open;
  /// What may follow the name, for people: "[:LLVM|CLANG[:ARCH]]", "[:INDEX]"; empty: nothing.
  std::string_view takes = {};
  /// `settings`, which stand behind "NAME:" and are not empty, in the form that equal devices
  /// share; empty for the device that NAME alone names. Throws DeviceError that lists what there
  /// is.
  std::string (*normalise)(std::string_view settings) = nullptr;
  /// The device with these settings, in that form and not empty; its name is "NAME:settings".
  /// Throws DeviceError that says what to do if it cannot be used here.
  std::unique_ptr<Device> (*open_with)(const std::string& settings) = nullptr;
  /// Its kernels are what option VALIDATE_WITH_CPU compares those of other devices with.
  bool is_reference = false;
  /// Whether this machine has a graphics processor that the backend can use; null for backends
  /// without one. Remembers the answer, since every tensor without a device asks: the
  /// first call may take as long as a driver's start, later ones nothing.
  bool (*may_be_default)() = nullptr;
};

/// The backends of this build, in the order of the generated table.
std::span<const Backend* const> built_in_backends();
/// All backends: those of this build, then those that were added, in that order. The span stays as
/// it is when more are added. Loads what option TG_BACKENDS names and was not loaded before; what
/// of it fails is in failed_backends(). Thread-safe.
std::span<const Backend* const> backends();
/// The preference of a backend on this machine: negative where it may not be the default.
int preference_here(const Backend& backend);
/// Adds a backend, which must live as long as the process. Throws DeviceError if there is one of
/// this name. Thread-safe.
void add_backend(const Backend& backend);

/// A file that the option TG_BACKENDS in force names and that gave no backend.
struct FailedBackend {
  std::string path;
  std::string reason;  ///< the message of the error
};
std::vector<FailedBackend> failed_backends();

/// The opened device called `name`: "CPU", or with settings that its backend reads,
/// "CPU:LLVM:x86-64-v3". Upper and lower case are the same. Names that mean the same are one
/// device; it is opened once and lives as long as the process. Throws DeviceError naming the known
/// devices, what the backend takes, or the probe's reason. Thread-safe.
Device& device(std::string_view name);
/// Waits until everything that was launched on any device is done.
void synchronize_all();
/// The device that others are compared with (Backend::is_reference). Throws DeviceError if there is
/// none, or it cannot be used here.
Device& reference_device();
/// Name of the default device as Device::name has it: option DEV, else the best usable one. Without
/// DEV, a file of TG_BACKENDS that could not be loaded is a DeviceError: nothing stands in for it
/// silently.
const std::string& default_device();

}  // namespace tg
