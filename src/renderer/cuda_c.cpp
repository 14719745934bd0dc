// The dialect of CUDA C, as NVRTC reads it: C++ without any header. Vectors are a small class
// template whose comparisons are masks of 0 and −1; up to 16 bytes of one are one access. What is
// an instruction and no operator is a function of its own that a host can define instead
// (TG_EMULATED). Values are exact under the compiler's option --fmad=false: no product is fused
// with a sum but where the code says so.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "renderer/c_dialect.h"
#include "renderer/c_unit.h"
#include "renderer/cuda_wgmma.h"
#include "renderer/render.h"
#include "support/check.h"

namespace tg {
namespace {

constexpr std::string_view kCudaPrologue = R"(#define FN __device__ __forceinline__
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
template <typename R, typename A>
FN R bits(A a) { return __builtin_bit_cast(R, a); }
#ifndef TG_EMULATED
FN f32 fused(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
FN f64 fused(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
#endif
)";

/// Vectors as the emitter uses them: lanes by [k], operators lane by lane, scalars in every lane.
constexpr std::string_view kVectors = R"(
#define LANES for (int k = 0; k < N; ++k)
#define COMPUTE(op) \
  friend FN Vec operator op(Vec a, Vec b) { LANES a[k] = T(a[k] op b[k]); return a; }
#define COMPARE(op) \
  friend FN Mask operator op(Vec a, Vec b) { Mask m; LANES m[k] = a[k] op b[k] ? -1 : 0; return m; }
template <int bytes> struct MaskOf { typedef i8 Lane; };
template <> struct MaskOf<2> { typedef i16 Lane; };
template <> struct MaskOf<4> { typedef i32 Lane; };
template <> struct MaskOf<8> { typedef i64 Lane; };
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vec {
  typedef T Lane;
  typedef Vec<typename MaskOf<sizeof(T)>::Lane, N> Mask;
  T lanes[N];
  Vec() = default;
  FN Vec(T x) { LANES lanes[k] = x; }
  template <typename... X>
  FN Vec(T a, T b, X... x) : lanes{a, b, T(x)...} {}
  FN T& operator[](int k) { return lanes[k]; }
  FN const T& operator[](int k) const { return lanes[k]; }
  friend FN Vec operator-(Vec a) { LANES a[k] = T(-a[k]); return a; }
  friend FN Vec operator~(Vec a) { LANES a[k] = T(~a[k]); return a; }
  COMPUTE(+) COMPUTE(-) COMPUTE(*) COMPUTE(/) COMPUTE(%)
  COMPUTE(&) COMPUTE(|) COMPUTE(^) COMPUTE(<<) COMPUTE(>>)
  COMPARE(<) COMPARE(>) COMPARE(!=)
};
template <typename T, int N>
FN Vec<T, N> select(typename Vec<T, N>::Mask m, Vec<T, N> a, Vec<T, N> b) {
  LANES a[k] = m[k] ? a[k] : b[k];
  return a;
}
template <typename T, int N>
FN Vec<T, N> fused(Vec<T, N> a, Vec<T, N> b, Vec<T, N> c) {
  LANES a[k] = fused(a[k], b[k], c[k]);
  return a;
}
template <typename T, int N>
FN bool all_set(Vec<T, N> m) {
  T all = -1;
  LANES all &= m[k];
  return all != 0;
}
template <typename R, typename T, int N>
FN R convert(Vec<T, N> v) {
  R r;
  LANES r[k] = typename R::Lane(v[k]);
  return r;
}
template <int... K, typename T, int N>
FN Vec<T, sizeof...(K)> shuffle(Vec<T, N> a, Vec<T, N> b) {
  return Vec<T, sizeof...(K)>((K < N ? a[K % N] : b[K % N])...);
}
)";

/// Vectors in memory that is aligned to elements only, or of which some lanes are not touched.
constexpr std::string_view kAccess = R"(
template <typename T, int N>
FN Vec<T, N> load(const T* p) {
  Vec<T, N> v;
  LANES v[k] = p[k];
  return v;
}
template <typename T, int N>
FN void store(T* p, Vec<T, N> v) {
  LANES p[k] = v[k];
}
template <typename T, int N>
FN Vec<T, N> load_where(const T* p, typename Vec<T, N>::Mask m) {
  Vec<T, N> v;
  LANES v[k] = m[k] ? p[k] : 0;
  return v;
}
template <typename T, int N>
FN void store_where(T* p, typename Vec<T, N>::Mask m, Vec<T, N> v) {
  LANES if (m[k]) p[k] = v[k];
}
)";

class CudaC final : public CDialect {
 public:
  explicit CudaC(const CudaMachine& machine) : machine_(machine) {}

  // ---- types
  std::string_view prologue() const override { return kCudaPrologue; }
  bool signed_wraps() const override { return false; }
  bool narrows_index() const override { return true; }

  std::string_view scalar(DType t) const override {
    switch (t) {
      case DType::Void:
        return "void";
      case DType::Bool:
        return "bool";
      case DType::Int8:
        return "i8";
      case DType::UInt8:
      case DType::Fp8E4M3:
      case DType::Fp8E5M2:
      case DType::Fp8E4M3Fnuz:
      case DType::Fp8E5M2Fnuz:
        return "u8";
      case DType::Int16:
        return "i16";
      case DType::UInt16:
      case DType::Float16:
      case DType::BFloat16:
        return "u16";
      case DType::Int32:
        return "i32";
      case DType::UInt32:
        return "u32";
      case DType::Index:
      case DType::Int64:
        return "i64";
      case DType::UInt64:
        return "u64";
      case DType::Float32:
        return "f32";
      case DType::Float64:
        return "f64";
    }
    return "void";
  }
  std::string vector(CUnit& u, DType t, int lanes) const override {
    u.declare("Vec", [] { return std::string(kVectors); });
    const std::string name = fmt::format("{}x{}", scalar(t), lanes);
    u.declare(name,
              [&] { return fmt::format("typedef Vec<{}, {}> {};\n", scalar(t), lanes, name); });
    return name;
  }

  // ---- values
  std::string nan(DType t) const override {
    return t == DType::Float32 ? "bits<f32>(0x7fc00000)" : "bits<f64>(0x7ff8000000000000ll)";
  }
  std::string infinity(DType t) const override {
    return t == DType::Float32 ? "bits<f32>(0x7f800000)" : "bits<f64>(0x7ff0000000000000ll)";
  }
  std::string_view u64_suffix() const override { return "ull"; }
  std::string list(const std::string& type, const std::string& items) const override {
    return fmt::format("{}({})", type, items);
  }
  std::string lane(int64_t k) const override { return fmt::format("[{}]", k); }
  CText splat(CUnit& u, DType t, int lanes, const std::string& x) const override {
    return {list(u.vector(t, lanes), x)};
  }
  CText reinterpret(const std::string& type, const CText& v) const override {
    return {fmt::format("bits<{}>({})", type, v.text)};
  }
  CText scalar_bits(CUnit&, DType, DType to, const std::string& x) const override {
    return {fmt::format("bits<{}>({})", storage(to), x)};
  }
  std::string convert(const std::string& type, const std::string& v) const override {
    return fmt::format("convert<{}>({})", type, v);
  }
  CText mask_of(const std::string&, const std::string& comparison) const override {
    return {comparison, Prec::Loose};
  }
  std::string select(CUnit&, DType, int, const std::string& m, const std::string& a,
                     const std::string& b) const override {
    return fmt::format("select({}, {}, {})", m, a, b);
  }
  std::string all_set(const std::string& m) const override { return fmt::format("all_set({})", m); }
  CText shuffle(const std::string&, int, const std::string& a, const std::string& b,
                std::span<const int64_t> lanes) const override {
    return {fmt::format("shuffle<{}>({}, {})", fmt::join(lanes, ", "), a, b)};
  }
  std::string return_lanes(const std::string& type, int lanes,
                           FunctionRef<std::string(const std::string&)> item) const override {
    return fmt::format("  {} r;\n  for (int k = 0; k < {}; ++k) r[k] = {};\n  return r;\n", type,
                       lanes, item("[k]"));
  }
  std::string for_lanes(int lanes,
                        FunctionRef<std::string(const std::string&)> item) const override {
    return fmt::format("for (int k = 0; k < {}; ++k) {}", lanes, item("[k]"));
  }

  std::string trunc(CUnit& u, DType t, int lanes) const override {
    return instruction(u, "trunc", t, lanes, t == DType::Float32 ? "truncf" : "trunc");
  }
  std::string sqrt(CUnit& u, DType t, int lanes) const override {
    return instruction(u, "sqrt", t, lanes, t == DType::Float32 ? "__fsqrt_rn" : "__dsqrt_rn");
  }
  std::string fma(CUnit&, DType, int) const override { return "fused"; }

  std::string half_to_float(CUnit& u, int lanes) const override {
    return conversion(u, "f32_of_half", "cvt.f32.f16 %0, %1;", "\"=f\"(r) : \"h\"(x)",
                      DType::Float32, DType::Float16, lanes);
  }
  std::string float_to_half(CUnit& u, int lanes) const override {
    return conversion(u, "half_of_f32", "cvt.rn.f16.f32 %0, %1;", "\"=h\"(r) : \"f\"(x)",
                      DType::Float16, DType::Float32, lanes);
  }

  // ---- memory
  bool proves_alignment() const override { return true; }
  std::string_view qualifier(Space) const override { return ""; }
  CText load(CUnit& u, const CPlace& at) const override {
    if (!at.aligned)
      return {fmt::format("{}({})", access(u, "load", at.dtype, at.lanes), at.address)};
    return {fmt::format("*(const {}*)({})", u.vector(at.dtype, at.lanes), at.address), Prec::Unary};
  }
  std::string store(CUnit& u, const CPlace& at, const std::string& v) const override {
    if (!at.aligned)
      return fmt::format("{}({}, {})", access(u, "store", at.dtype, at.lanes), at.address, v);
    return fmt::format("*({}*)({}) = {}", u.vector(at.dtype, at.lanes), at.address, v);
  }
  std::string loaded(const std::string&, const std::string& v) const override { return v; }
  std::string load_mask(CUnit& u, Space, DType t, int lanes) const override {
    return access(u, "load_where", t, lanes);
  }
  std::string store_mask(CUnit& u, Space, DType t, int lanes) const override {
    return access(u, "store_where", t, lanes);
  }
  std::string stream(CUnit&, DType, int) const override { return {}; }
  std::string streams_end(CUnit&) const override { return {}; }
  std::string prefetch(const std::string&) const override { return {}; }

  // ---- kernels
  /// What does not fit is memory of the work-item, where a group is one.
  Space place_of(const LinearKernel& kernel, Space space) const override {
    if (space != Space::Scratch || kernel.scratch_bytes <= machine_.local_bytes) return space;
    TG_CHECK(kernel.group_size == 1, "{} wants {} bytes of shared memory, of {}", kernel.name,
             kernel.scratch_bytes, machine_.local_bytes);
    return Space::Reg;
  }
  std::string launch_loop(const std::string& name) const override {
    return fmt::format("for (i64 {0} = blockIdx.x; {0} < end; {0} += gridDim.x) {{\n", name);
  }
  std::string work_item() const override { return "threadIdx.x"; }
  std::string barrier(const LinearKernel& kernel) const override {
    return has_async_products(kernel) ? "tg_mma_publish(); __syncthreads();\n"
                                      : "__syncthreads();\n";
  }

  std::string subgroup_shuffle(const std::string& value, int64_t distance) const override {
    return fmt::format("__shfl_xor_sync(0xffffffffu, {}, {})", value, distance);
  }
  // Past the first cache where the whole line of it is not wanted.
  std::string async_copy(CUnit& u, int64_t bytes) const override {
    if (!machine_.has_async_copy || bytes < 4) return {};
    return u.helper(fmt::format("tg_async_copy{}", bytes), [&] {
      return fmt::format(
          "#ifndef TG_EMULATED\n"
          "FN void tg_async_copy{0}(void* to, const void* from, bool whether) {{\n"
          "  asm volatile(\"cp.async.{1}.shared.global [%0], [%1], {0}, %2;\"\n"
          "      :: \"r\"(u32(__cvta_generic_to_shared(to))), \"l\"(from), \"r\"(whether ? {0} : "
          "0)\n"
          "      : \"memory\");\n}}\n#endif\n",
          bytes, bytes == 16 ? "cg" : "ca");
    });
  }
  std::string async_wait(CUnit& u, int64_t on_their_way) const override {
    if (!machine_.has_async_copy) return {};
    u.helper("tg_async_wait", [] {
      return std::string(
          "#ifndef TG_EMULATED\n"
          "template <int batches>\n"
          "FN void tg_async_wait() {\n"
          "  asm volatile(\"cp.async.commit_group;\\n\\tcp.async.wait_group %0;\" :: "
          "\"n\"(batches) : "
          "\"memory\");\n"
          "}\n#endif\n");
    });
    return fmt::format("tg_async_wait<{}>();\n", on_their_way);
  }

  // Registers of 32 bits, in each of which lie neighbouring elements; operands of the text are
  // numbered through the result, A and B.
  std::string multiply(CUnit& u, const MatrixUnit& unit) const override {
    if (unit.m != 16 || unit.reads_scratch) return {};
    return u.helper("tg_mma_" + unit.name, [&] {
      const std::string a = u.vector(unit.input, static_cast<int>(unit.a.registers())),
                        b = u.vector(unit.input, static_cast<int>(unit.b.registers())),
                        c = u.vector(unit.sum, static_cast<int>(unit.c.registers()));
      const int64_t each = 4 / c_bytes(unit.input);
      int64_t number = unit.c.registers();
      const std::string sum = numbered(0, number);
      const std::string left = numbered(number, unit.a.registers() / each);
      number += unit.a.registers() / each;
      const std::string right = numbered(number, unit.b.registers() / each);
      const std::string words_of_b = words(u, unit, "b", unit.b.registers() / each),
                        words_of_a = words(u, unit, "a", unit.a.registers() / each);
      const std::string_view type = unit.input == DType::Float16    ? "f16"
                                    : unit.input == DType::BFloat16 ? "bf16"
                                                                    : "tf32";
      return fmt::format(
          "#ifndef TG_EMULATED\n"
          "FN {0} tg_mma_{1}({2} a, {3} b, {0} c) {{\n"
          "{4}{5}"
          "  asm volatile(\"mma.sync.aligned.m{6}n{7}k{8}.row.col.f32.{9}.{9}.f32 \"\n"
          "      \"{{{10}}}, {{{11}}}, {{{12}}}, {{{10}}};\"\n"
          "      : {13}\n      : {14}, {15});\n"
          "  return c;\n}}\n#endif\n",
          c, unit.name, a, b, words_of_a, words_of_b, unit.m, unit.n, unit.k, type, sum, left,
          right, operands("\"+f\"(c[{}])", unit.c.registers()),
          operands("\"r\"(x_a[{}])", unit.a.registers() / each),
          operands("\"r\"(x_b[{}])", unit.b.registers() / each));
    });
  }

  std::string multiply_async(CUnit& u, const MatrixUnit& unit, bool across_a,
                             bool across_b) const override {
    return cuda_multiply_async(u, unit, across_a, across_b);
  }
  std::string mma_begin() const override { return "tg_mma_begin();\n"; }
  std::string mma_commit() const override { return "tg_mma_commit();\n"; }
  std::string mma_wait(int64_t under_way, std::span<const std::string> sums) const override {
    return fmt::format("tg_mma_wait<{}>({});\n", under_way, fmt::join(sums, ", "));
  }

  std::string function(CUnit&, const CFunction& f) const override {
    std::string arguments;
    for (int slot = 0; slot < static_cast<int>(f.kernel->params.size()); ++slot) {
      const auto p = f.params.find(slot);
      if (p == f.params.end()) {
        arguments += fmt::format("void* p{}, ", slot);
      } else {
        arguments += fmt::format("{}{}* __restrict__ p{}, ", p->second.written ? "" : "const ",
                                 storage(p->second.dtype), slot);
      }
    }
    for (int k = 0; k < static_cast<int>(f.kernel->vars.size()); ++k) {
      const auto v = f.vars.find(k);
      arguments +=
          fmt::format("i64 {}, ", v == f.vars.end() ? fmt::format("n_{}", k) : v->second.name);
    }
    const int at_once = cuda_groups_at_once(*f.kernel);
    const std::string bounds = at_once == 1 ? fmt::format("{}", f.kernel->group_size)
                                            : fmt::format("{}, {}", f.kernel->group_size, at_once);
    return fmt::format(
        "extern \"C\" __global__ void __launch_bounds__({}) {}({}i64 end) {{\n{}{}}}\n", bounds,
        f.kernel->name, arguments, arrays(f), f.text);
  }

 private:
  static std::string operands(std::string_view pattern, int64_t count) {
    std::string out;
    for (int64_t k = 0; k < count; ++k)
      out += (k == 0 ? "" : ", ") + fmt::format(fmt::runtime(pattern), k);
    return out;
  }
  static std::string numbered(int64_t first, int64_t count) {
    std::string out;
    for (int64_t k = first; k < first + count; ++k)
      out += fmt::format("{}%{}", k == first ? "" : ", ", k);
    return out;
  }
  // A fragment as 32-bit registers, rounded first where the unit takes fewer bits.
  static std::string words(CUnit& u, const MatrixUnit& unit, std::string_view name, int64_t count) {
    if (!unit.rounds_input) {
      const std::string type = u.type(DType::UInt32, static_cast<int>(count));
      return count == 1 ? fmt::format("  const u32 x_{0}[1] = {{bits<u32>({0})}};\n", name)
                        : fmt::format("  const {1} x_{0} = bits<{1}>({0});\n", name, type);
    }
    return fmt::format(
        "  u32 x_{0}[{1}];\n"
        "  for (int k = 0; k < {1}; ++k) asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(x_{0}[k]) : "
        "\"f\"({0}[k]));\n",
        name, count);
  }

  // The scalar function, or one that applies it to every lane.
  static std::string by_lane(CUnit& u, const std::string& one, DType to, DType from, int lanes) {
    if (lanes == 1) return one;
    const std::string name = fmt::format("{}_x{}", one, lanes), r = u.vector(to, lanes);
    return u.helper(name, [&] {
      return fmt::format("FN {} {}({} x) {{\n{}}}\n", r, name, u.vector(from, lanes),
                         u.dialect().return_lanes(
                             r, lanes, [&](const std::string& k) { return one + "(x" + k + ")"; }));
    });
  }
  std::string instruction(CUnit& u, std::string_view what, DType t, int lanes,
                          std::string_view builtin) const {
    const std::string name = u.helper(fmt::format("{}_{}", what, scalar(t)), [&] {
      return fmt::format(
          "#ifndef TG_EMULATED\nFN {0} {1}_{0}({0} x) {{ return {2}(x); }}\n#endif\n", scalar(t),
          what, builtin);
    });
    return by_lane(u, name, t, t, lanes);
  }
  std::string conversion(CUnit& u, const std::string& name, std::string_view ptx,
                         std::string_view operands, DType to, DType from, int lanes) const {
    u.helper(name, [&] {
      return fmt::format(
          "#ifndef TG_EMULATED\nFN {0} {1}({2} x) {{\n  {0} r;\n  asm(\"{3}\" : {4});\n  return "
          "r;\n"
          "}}\n#endif\n",
          scalar(to), name, scalar(from), ptx, operands);
    });
    return by_lane(u, name, to, from, lanes);
  }
  // A function of kAccess for these vectors.
  std::string access(CUnit& u, std::string_view what, DType t, int lanes) const {
    u.vector(t, lanes);
    u.declare("access", [] { return std::string(kAccess); });
    return fmt::format("{}<{}, {}>", what, storage(t), lanes);
  }

  // Arrays of a group are declared each, or are parts of what the launch asks for. Those that a
  // matrix unit may read by itself have whole repeats of its layout, and lie at such.
  std::string arrays(const CFunction& f) const {
    const bool dynamic = cuda_dynamic_bytes(*f.kernel, machine_) > 0;
    const auto bytes = [](const CArray& a) { return a.elements * c_bytes(a.dtype); };
    const auto whole = [&](const CArray& a) {
      return a.space == Space::Scratch && bytes(a) > 0 &&
             bytes(a) % SwizzledRows::kSwizzleBytes == 0;
    };
    std::vector<CArray> arrays(f.arrays.begin(), f.arrays.end());
    std::ranges::stable_partition(arrays, whole);
    std::string out =
        dynamic ? fmt::format("  extern __shared__ __align__({}) char scratch[];\n",
                              has_async_products(*f.kernel) ? SwizzledRows::kSwizzleBytes : 64)
                : "";
    int64_t offset = 0;
    for (const CArray& a : arrays) {
      const std::string_view type = storage(a.dtype);
      const bool shared = a.space == Space::Scratch;
      if (shared && dynamic) {
        out += fmt::format("  {0}* {1} = ({0}*)(scratch + {2});\n", type, a.name, offset);
        offset += (bytes(a) + 63) / 64 * 64;
      } else {
        out += fmt::format(
            "  {}__align__({}) {} {}[{}];\n", shared ? "__shared__ " : "",
            has_async_products(*f.kernel) && whole(a) ? SwizzledRows::kSwizzleBytes : 64, type,
            a.name, std::max<int64_t>(a.elements, 1));
      }
    }
    return out;
  }

  const CudaMachine machine_;
};

}  // namespace

std::unique_ptr<const CDialect> cuda_c(const CudaMachine& machine) {
  return std::make_unique<CudaC>(machine);
}

}  // namespace tg
