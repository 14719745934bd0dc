// GNU C's memory under a lane mask and past the caches. On x86 the compilers' own builtins are
// used, without the intrinsics header, which costs a tenth of a second to parse; elsewhere, and for
// small elements, a loop over the lanes.
#include <fmt/format.h>

#include "renderer/gnu_c.h"

namespace tg {
namespace {

// The builtins exist for 4- and 8-byte elements in registers of 16 to 64 bytes: with mask registers
// (AVX-512), and for up to 32 bytes with masks in vectors (AVX), whose stores are slow on some
// processors.
struct MaskedMove {
  bool exists = false;
  bool has_vector_mask = false;
  std::string suffix;   // "ps256"
  std::string vector;   // type that the builtins take
  std::string mask;     // the mask m in the builtins' type
  std::string to_bits;  // builtin that makes a register mask of it
};

MaskedMove masked_move(CUnit& u, DType t, int lanes) {
  const int size = c_bytes(t), bytes = size * lanes;
  if ((size != 4 && size != 8) || bytes < 16 || bytes > 64) return {};
  const bool floats = size == 4;
  MaskedMove move{.exists = true, .has_vector_mask = bytes < 64};
  move.vector = u.vector(floats ? DType::Float32 : DType::Float64, lanes);
  move.suffix =
      fmt::format("{}{}", floats ? "ps" : "pd", bytes == 16 ? "" : std::to_string(8 * bytes));
  // The builtins for doubles want masks of `long long`, which is not the compilers' int64_t.
  move.mask = floats ? "m" : fmt::format("(long long __attribute__((vector_size({}))))m", bytes);
  move.to_bits = fmt::format("__builtin_ia32_cvt{}2mask{}", floats ? 'd' : 'q', 8 * bytes);
  return move;
}

// The same access by mask register, by vector mask, and by loop.
std::string three_ways(const MaskedMove& move, const std::string& by_register,
                       const std::string& by_vector, const std::string& loop) {
  if (!move.exists) return loop;
  const std::string last =
      move.has_vector_mask ? "#elif defined(__AVX__)\n" + by_vector : std::string();
  return fmt::format("#if defined(__AVX512VL__) && defined(__AVX512DQ__)\n{}{}#else\n{}#endif\n",
                     by_register, last, loop);
}

// "loadups256_mask" or, of 16 bytes, "loadups128_mask".
std::string register_builtin(const MaskedMove& move, std::string_view access) {
  const std::string width = move.suffix.size() == 2 ? "128" : "";
  return fmt::format("__builtin_ia32_{}u{}{}_mask", access, move.suffix, width);
}

std::string load_body(const MaskedMove& move, const std::string& v, const std::string& loop) {
  const std::string by_register =
      fmt::format("  return ({})({}((const void*)p, ({}){{0}}, {}({})));\n", v,
                  register_builtin(move, "load"), move.vector, move.to_bits, move.mask);
  const std::string by_vector = fmt::format(
      "  return ({})__builtin_ia32_maskload{}((const void*)p, {});\n", v, move.suffix, move.mask);
  return three_ways(move, by_register, by_vector, loop);
}

std::string store_body(const MaskedMove& move, const std::string& loop) {
  const std::string by_register =
      fmt::format("  {}((void*)p, ({})v, {}({}));\n", register_builtin(move, "store"), move.vector,
                  move.to_bits, move.mask);
  const std::string by_vector = fmt::format("  __builtin_ia32_maskstore{}((void*)p, {}, ({})v);\n",
                                            move.suffix, move.mask, move.vector);
  return three_ways(move, by_register, by_vector, loop);
}

}  // namespace

std::string GnuC::load_mask(CUnit& u, Space, DType t, int lanes) const {
  const std::string v = u.vector(t, lanes), m = u.vector(c_mask_dtype(c_bytes(t)), lanes),
                    name = "load_mask_" + v;
  return u.helper(name, [&] {
    const MaskedMove move = masked_move(u, t, lanes);
    const std::string loop = fmt::format(
        "  {0} r = {{0}};\n  for (int k = 0; k < {1}; ++k) {{\n    if (m[k]) r[k] = p[k];\n  }}\n  "
        "return r;\n",
        v, lanes);
    return fmt::format("FN {0} {1}(const {2}* p, {3} m) {{\n{4}}}\n", v, name, storage(t), m,
                       load_body(move, v, loop));
  });
}

std::string GnuC::store_mask(CUnit& u, Space, DType t, int lanes) const {
  const std::string v = u.vector(t, lanes), m = u.vector(c_mask_dtype(c_bytes(t)), lanes),
                    name = "store_mask_" + v;
  return u.helper(name, [&] {
    const MaskedMove move = masked_move(u, t, lanes);
    const std::string loop =
        fmt::format("  for (int k = 0; k < {}; ++k) {{\n    if (m[k]) p[k] = v[k];\n  }}\n", lanes);
    return fmt::format("FN void {0}({1}* p, {2} m, {3} v) {{\n{4}}}\n", name, storage(t), m, v,
                       store_body(move, loop));
  });
}

std::string GnuC::stream(CUnit& u, DType t, int lanes) const {
  const std::string v = u.vector(t, lanes), loose = place_type(u, t, lanes, false),
                    name = "stream_" + v;
  return u.helper(name, [&] {
    return fmt::format(
        "FN void {0}({1}* p, {2} v) {{\n#if defined(__clang__)\n"
        "  if (((__UINTPTR_TYPE__)p & {3}) == 0) {{\n"
        "    __builtin_nontemporal_store(v, ({2}*)p);\n    return;\n  }}\n#endif\n"
        "  *({4}*)p = v;\n}}\n",
        name, storage(t), v, lanes * u.bytes(t) - 1, loose);
  });
}

std::string GnuC::streams_end(CUnit& u) const {
  return u.helper("streams_end", [] {
    return std::string(
        "FN void streams_end(void) {\n#if defined(__clang__) && defined(__SSE__)\n"
        "  __builtin_ia32_sfence();\n#elif defined(__clang__)\n"
        "  __atomic_thread_fence(__ATOMIC_RELEASE);\n#endif\n}\n");
  });
}

}  // namespace tg
