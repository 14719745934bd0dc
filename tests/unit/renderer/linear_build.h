// Builders of linear code for tests, and a compiler call that loads what the renderer wrote.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "codegen/linear.h"
#include "renderer/render.h"
#include "support/dynamic_library.h"
#include "support/file.h"
#include "support/subprocess.h"
#include "tg/ir/walk.h"

namespace tg::testing {

inline UOp load_lanes(const UOp& ptr, const UOp& index, int lanes, const UOp& gate = {},
                      int64_t align = 1) {
  const std::vector<int64_t> arg = {lanes, align};
  return gate ? make(Op::Load, {ptr, index, gate}, arg) : make(Op::Load, {ptr, index}, arg);
}
inline UOp store_lanes(const UOp& ptr, const UOp& index, const UOp& v, const UOp& gate = {},
                       Combine combine = Combine::Set, int64_t align = 1) {
  const std::vector<int64_t> arg = {static_cast<int64_t>(combine), align};
  return gate ? make(Op::Store, {ptr, index, v, gate}, arg) : make(Op::Store, {ptr, index, v}, arg);
}
inline UOp loop(int64_t extent, int64_t id) {
  return make(Op::Range, {index_const(extent)}, {{id}});
}
inline UOp chunk_loop(int64_t extent, int64_t id) {
  return make(Op::Range, {index_const(extent)}, {{id, 1}});
}
inline UOp splat(const UOp& x, int lanes) {
  return lanes == 1 ? x : make(Op::Splat, {x}, {{lanes}});
}
inline UOp ramp(const UOp& x, int lanes, int64_t step = 1) {
  return make(Op::Ramp, {x}, {{lanes, step}});
}
inline UOp close_loop(const UOp& range, std::vector<UOp> next = {}) {
  next.insert(next.begin(), range);
  return make(Op::End, next, {{1}});
}

/// Straight-line code that a chunk loop repeats: all that `stores` need, in order, then the end of
/// the loop.
inline LinearKernel chunk_kernel(std::string name, const UOp& range, const std::vector<UOp>& stores,
                                 int written_slot, int n_params) {
  LinearKernel k;
  k.name = std::move(name);
  for (const Node* n : toposort(stores)) k.ops.push_back(UOp::share(n));
  k.ops.push_back(close_loop(range));
  for (int i = 0; i < n_params; ++i) k.params.push_back({i != written_slot, i == written_slot});
  k.chunks = range.src(0).arg(0);
  return k;
}

using Entry = void(void* const*, const int64_t*, int64_t, int64_t, char*);

/// Compiles C with warnings as errors; the library lives as long as this.
class Compiled {
 public:
  Compiled(const std::string& source, const std::string& compiler,
           const std::vector<std::string>& flags)
      : folder_("tg-test") {
    const std::string out = (folder_.path() / "k.so").string();
    std::vector<std::string> command = {
        compiler, "-O2", "-Wall", "-Wextra", "-Werror",
        // What a processor claims to have is not the code's fault.
        "-Wno-unknown-warning-option", "-Wno-invalid-feature-combination", "-fwrapv",
        "-fno-strict-aliasing", "-fno-math-errno", "-ffp-contract=off", "-shared", "-fPIC"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-x", "c", "-", "-o", out});
    const ProcessResult r = run_process(command, {.input = source});
    if (!r.ok()) {
      errors_ = r.describe() + "\n" + r.errors.substr(0, 4000);
      return;
    }
    library_ = DynamicLibrary(out);
  }
  bool ok() const { return static_cast<bool>(library_); }
  const std::string& errors() const { return errors_; }
  Entry* entry(const std::string& name) const { return library_.function<Entry>(name); }

 private:
  TempDir folder_;
  DynamicLibrary library_;
  std::string errors_;
};

/// A C compiler and the processor that it compiles for: a case of the tests that compile what the
/// renderer wrote, skipped by name where the compiler is not installed.
struct CompilerCase {
  const char* name;
  const char* compiler;
  const char* flag;
};
inline void PrintTo(const CompilerCase& c, std::ostream* out) { *out << c.name; }

}  // namespace tg::testing
