// See fake_cuda.h.
#include "fake_cuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>

using tg::testing::FakeCuda;
using tg::testing::FakeCudaLaunch;

namespace {

FakeCuda& fake() {
  static FakeCuda state;
  return state;
}

// Counts the call; the status that it must fail with, or 0.
int call(const char* name, bool on_device = true) {
  FakeCuda& f = fake();
  const std::lock_guard guard(f.lock);
  ++f.calls[name];
  f.order.emplace_back(name);
  if (on_device && f.lost != 0) return f.lost;
  const auto fault = f.faults.find(name);
  if (fault == f.faults.end()) return 0;
  if (fault->second.after-- > 0) return 0;
  if (fault->second.times-- <= 0) return 0;
  if (fault->second.status >= 700 && fault->second.status != 701) f.lost = fault->second.status;
  return fault->second.status;
}

bool is_pinned(const void* p, size_t bytes) {
  const auto at = reinterpret_cast<uint64_t>(p);
  auto it = fake().pinned.upper_bound(at);
  if (it == fake().pinned.begin()) return false;
  --it;
  return at + bytes <= it->first + static_cast<uint64_t>(it->second);
}

template <typename T>
int make(std::set<void*>& all, T** to) {
  const std::lock_guard guard(fake().lock);
  void* made = std::malloc(1);
  all.insert(made);
  *to = static_cast<T*>(made);
  return 0;
}
int drop(std::set<void*>& all, void* p) {
  const std::lock_guard guard(fake().lock);
  if (all.erase(p) == 0) return 400;
  std::free(p);
  return 0;
}

struct Module {
  std::string image;
};
struct Function {
  std::string name;
  size_t arguments;
};

// As the real one's first version of it.
struct KernelParams {
  void* function;
  std::array<uint32_t, 3> grid, block;
  uint32_t shared;
  void** arguments;
  void** extra;
};

struct Node {
  std::vector<size_t> after;
  bool is_empty = true;
  FakeCudaLaunch launch;
};
struct Graph {
  std::deque<Node> nodes;
  size_t number_of(const void* node) const {
    size_t i = 0;
    while (i < nodes.size() && &nodes[i] != node) ++i;
    return i;
  }
};
// What runs: the nodes as they were when it was made; handles are those of its graph.
struct Exec {
  const Graph* of;
  std::vector<Node> nodes;
};

FakeCudaLaunch launch_of(const KernelParams& p) {
  const auto& function = *static_cast<Function*>(p.function);
  FakeCudaLaunch l{function.name, p.grid, p.block, p.shared, {}};
  for (size_t i = 0; i < function.arguments; ++i) {
    uint64_t value = 0;
    std::memcpy(&value, p.arguments[i], sizeof value);
    l.arguments.push_back(value);
  }
  return l;
}

void run(const FakeCudaLaunch& l) {
  const std::lock_guard guard(fake().lock);
  fake().launches.push_back(l);
  if (fake().on_launch) fake().on_launch(l);
}

int add_node(void** to, void* graph, void* const* after, size_t count, Node made) {
  auto& g = *static_cast<Graph*>(graph);
  for (size_t i = 0; i < count; ++i) {
    made.after.push_back(g.number_of(after[i]));
    if (made.after.back() == g.nodes.size()) return 1;
  }
  *to = &g.nodes.emplace_back(std::move(made));
  return 0;
}

}  // namespace

extern "C" {

FakeCuda* fake_cuda() { return &fake(); }

// ---- the driver
#ifndef FAKE_WITHOUT_EVENTS
int cuEventCreate(void** e, uint32_t) {
  const int s = call("cuEventCreate");
  return s != 0 ? s : make(fake().events, e);
}
#endif
int cuEventDestroy_v2(void* e) { return drop(fake().events, e); }
int cuEventRecord(void*, void*) { return call("cuEventRecord"); }
int cuEventSynchronize(void*) { return call("cuEventSynchronize"); }
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  *milliseconds = fake().elapsed_milliseconds;
  const int s = call("cuEventElapsedTime");
  return s != 0 ? s : fake().events.contains(from) && fake().events.contains(to) ? 0 : 400;
}

int cuInit(uint32_t) {
  const int s = call("cuInit", false);
  return s != 0 ? s : fake().devices.empty() ? 100 : 0;
}
int cuDriverGetVersion(int* v) {
  *v = fake().driver_version;
  return 0;
}
int cuGetErrorName(int status, const char** to) {
  static const std::map<int, const char*> names = {
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},     {100, "CUDA_ERROR_NO_DEVICE"},
      {200, "CUDA_ERROR_INVALID_IMAGE"},   {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},  {719, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto it = names.find(status);
  *to = it == names.end() ? nullptr : it->second;
  return 0;
}
int cuGetErrorString(int, const char** to) {
  *to = "as the test wants it";
  return 0;
}
int cuDeviceGetCount(int* n) {
  *n = static_cast<int>(fake().devices.size());
  return 0;
}
int cuDeviceGet(int* d, int i) {
  *d = i + 10;
  return i < static_cast<int>(fake().devices.size()) ? 0 : 101;
}
int cuDeviceGetName(char* to, int size, int d) {
  std::strncpy(to, fake().devices[static_cast<size_t>(d - 10)].c_str(), static_cast<size_t>(size));
  return 0;
}
int cuDeviceTotalMem_v2(size_t* n, int) {
  *n = static_cast<size_t>(fake().memory_bytes);
  return 0;
}
int cuDeviceGetAttribute(int* v, int a, int) {
  const auto it = fake().attributes.find(a);
  *v = it == fake().attributes.end() ? 0 : it->second;
  return it == fake().attributes.end() ? 1 : 0;
}
int cuDevicePrimaryCtxRetain(void** c, int) {
  *c = &fake();
  return call("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int) { return call("cuDevicePrimaryCtxRelease", false); }
int cuCtxSetCurrent(void*) { return call("cuCtxSetCurrent", false); }
int cuStreamCreate(void** s, uint32_t) {
  const int status = call("cuStreamCreate");
  return status != 0 ? status : make(fake().streams, s);
}
int cuStreamDestroy_v2(void* s) { return drop(fake().streams, s); }
int cuStreamSynchronize(void*) { return call("cuStreamSynchronize"); }

int cuMemAlloc_v2(uint64_t* to, size_t bytes) {
  if (const int s = call("cuMemAlloc"); s != 0) return s;
  FakeCuda& f = fake();
  const std::lock_guard guard(f.lock);
  if (f.held + static_cast<int64_t>(bytes) > f.memory_bytes) return 2;
  *to = reinterpret_cast<uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  f.blocks[*to] = static_cast<int64_t>(bytes);
  f.held += static_cast<int64_t>(bytes);
  return 0;
}
int cuMemFree_v2(uint64_t p) {
  FakeCuda& f = fake();
  const std::lock_guard guard(f.lock);
  const auto it = f.blocks.find(p);
  if (it == f.blocks.end()) return 1;
  f.held -= it->second;
  f.blocks.erase(it);
  std::free(reinterpret_cast<void*>(p));
  return 0;
}
int cuMemHostAlloc(void** to, size_t bytes, uint32_t) {
  if (const int s = call("cuMemHostAlloc"); s != 0) return s;
  const std::lock_guard guard(fake().lock);
  *to = std::malloc(bytes);
  fake().pinned[reinterpret_cast<uint64_t>(*to)] = static_cast<int64_t>(bytes);
  return 0;
}
int cuMemFreeHost(void* p) {
  const std::lock_guard guard(fake().lock);
  fake().pinned.erase(reinterpret_cast<uint64_t>(p));
  std::free(p);
  return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t n, void*) {
  if (const int s = call("cuMemcpyHtoDAsync"); s != 0) return s;
  if (!is_pinned(from, n)) ++fake().unpinned_copies;
  std::memcpy(reinterpret_cast<void*>(to), from, n);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t n, void*) {
  if (const int s = call("cuMemcpyDtoHAsync"); s != 0) return s;
  if (!is_pinned(to, n)) ++fake().unpinned_copies;
  std::memcpy(to, reinterpret_cast<const void*>(from), n);
  return 0;
}

// An image is "\x7fELF" and the source.
int cuModuleLoadData(void** m, const void* image) {
  if (const int s = call("cuModuleLoadData"); s != 0) return s;
  auto* made = new Module{static_cast<const char*>(image)};
  const std::lock_guard guard(fake().lock);
  fake().modules.insert(made);
  *m = made;
  return 0;
}
int cuModuleLoadDataEx(void** m, const void* image, unsigned count, int* options, void** values) {
  if (const int s = call("cuModuleLoadDataEx"); s != 0) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 5) std::strcpy(static_cast<char*>(values[i]), "ptxas: line 7; error");
    }
    return s;
  }
  return cuModuleLoadData(m, image);
}
int cuModuleUnload(void* m) {
  const std::lock_guard guard(fake().lock);
  if (fake().modules.erase(m) == 0) return 400;
  delete static_cast<Module*>(m);
  return 0;
}
int cuModuleGetFunction(void** f, void* m, const char* name) {
  if (const int s = call("cuModuleGetFunction"); s != 0) return s;
  const std::string& source = static_cast<Module*>(m)->image;
  const size_t at = source.find(std::string(" ") + name + "(");
  if (at == std::string::npos) return 500;
  const size_t end = source.find(')', at);
  const auto commas = std::count(source.begin() + static_cast<ptrdiff_t>(at),
                                 source.begin() + static_cast<ptrdiff_t>(end), ',');
  static std::map<std::string, Function> functions;
  const std::lock_guard guard(fake().lock);
  *f = &(functions[name] = {name, static_cast<size_t>(commas) + 1});
  return 0;
}
int cuFuncSetAttribute(void*, int attribute, int value) {
  const int s = call("cuFuncSetAttribute");
  return s != 0 ? s : attribute == 8 && value <= fake().attributes[97] ? 0 : 1;
}
int cuLaunchKernel(void* f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                   uint32_t bz, uint32_t shared, void*, void** arguments, void** extra) {
  if (const int s = call("cuLaunchKernel"); s != 0) return s;
  run(launch_of({f, {gx, gy, gz}, {bx, by, bz}, shared, arguments, extra}));
  return 0;
}

// ---- graphs
int cuGraphCreate(void** g, uint32_t flags) {
  if (const int s = call("cuGraphCreate"); s != 0) return s;
  *g = new Graph;
  const std::lock_guard guard(fake().lock);
  fake().graphs.insert(*g);
  return flags;
}
int cuGraphDestroy(void* g) {
  const std::lock_guard guard(fake().lock);
  if (fake().graphs.erase(g) == 0) return 400;
  delete static_cast<Graph*>(g);
  return 0;
}
int cuGraphAddKernelNode(void** node, void* g, void* const* after, size_t count,
                         const KernelParams* params) {
  const int s = call("cuGraphAddKernelNode");
  return s != 0 ? s : add_node(node, g, after, count, {{}, false, launch_of(*params)});
}
int cuGraphAddEmptyNode(void** node, void* g, void* const* after, size_t count) {
  const int s = call("cuGraphAddEmptyNode");
  return s != 0 ? s : add_node(node, g, after, count, {});
}
int cuGraphInstantiateWithFlags(void** exec, void* g, unsigned long long flags) {
  if (const int s = call("cuGraphInstantiate"); s != 0) return s;
  const auto* graph = static_cast<Graph*>(g);
  *exec = new Exec{graph, {graph->nodes.begin(), graph->nodes.end()}};
  const std::lock_guard guard(fake().lock);
  fake().graph_execs.insert(*exec);
  return flags == 0 ? 0 : 1;
}
int cuGraphExecDestroy(void* exec) {
  const std::lock_guard guard(fake().lock);
  if (fake().graph_execs.erase(exec) == 0) return 400;
  delete static_cast<Exec*>(exec);
  return 0;
}
int cuGraphExecKernelNodeSetParams(void* exec, void* node, const KernelParams* params) {
  if (const int s = call("cuGraphExecKernelNodeSetParams"); s != 0) return s;
  auto& e = *static_cast<Exec*>(exec);
  const size_t i = e.of->number_of(node);
  if (i == e.nodes.size() || e.nodes[i].is_empty) return 1;
  e.nodes[i].launch = launch_of(*params);
  return 0;
}
// Of the nodes that need not wait the last is run first: what should wait and does not, shows.
int cuGraphLaunch(void* exec, void*) {
  if (const int s = call("cuGraphLaunch"); s != 0) return s;
  const auto& nodes = static_cast<Exec*>(exec)->nodes;
  std::vector<bool> done(nodes.size());
  for (size_t left = nodes.size(); left > 0; --left) {
    size_t next = nodes.size() - 1;
    const auto waits = [&](size_t i) {
      return done[i] || !std::all_of(nodes[i].after.begin(), nodes[i].after.end(),
                                     [&](size_t before) { return done[before]; });
    };
    while (waits(next)) --next;
    done[next] = true;
    if (!nodes[next].is_empty) run(nodes[next].launch);
  }
  return 0;
}

// ---- the compiler
const char* nvrtcGetErrorString(int status) {
  return status == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}
int nvrtcVersion(int* major, int* minor) {
  *major = fake().nvrtc_version / 1000;
  *minor = fake().nvrtc_version % 1000 / 10;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* n) {
  *n = 3;
  return 0;
}
int nvrtcGetSupportedArchs(int* to) {
  const std::array<int, 3> all = {90, 75, 80};
  std::copy(all.begin(), all.end(), to);
  return 0;
}
int nvrtcCreateProgram(void** p, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *p = new std::string(source);
  return 0;
}
int nvrtcDestroyProgram(void** p) {
  delete static_cast<std::string*>(*p);
  return 0;
}
int nvrtcCompileProgram(void*, int n, const char* const* options) {
  const int s = call("nvrtcCompileProgram", false);
  const std::lock_guard guard(fake().lock);
  fake().options.assign(options, options + n);
  return s;
}
static const char kLog[] =
    "kernel.cu(1): error: as the test wants it\n"
    "ptxas         .    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
    "ptxas info    : Used 24 registers, used 1 barriers, 1024 bytes smem, 376 bytes cmem[0]\n";
int nvrtcGetProgramLogSize(void*, size_t* n) {
  *n = sizeof kLog;
  return 0;
}
int nvrtcGetProgramLog(void*, char* to) {
  std::memcpy(to, kLog, sizeof kLog);
  return 0;
}
int nvrtcGetCUBINSize(void* p, size_t* n) {
  *n = static_cast<std::string*>(p)->size() + 5;
  return 0;
}
int nvrtcGetCUBIN(void* p, char* to) {
  const std::string image =
      "\x7f"
      "ELF" +
      *static_cast<std::string*>(p);
  std::memcpy(to, image.c_str(), image.size() + 1);
  return 0;
}
int nvrtcGetPTXSize(void* p, size_t* n) {
  *n = static_cast<std::string*>(p)->size() + 10;
  return 0;
}
int nvrtcGetPTX(void* p, char* to) {
  const std::string text = ".version\n" + *static_cast<std::string*>(p);
  std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}

}  // extern "C"
