// Helpers for memory under a lane mask and for gathers. On x86 the compilers' own builtins are
// used, without the intrinsics header, which costs a tenth of a second to parse; elsewhere, and for
// small elements, a loop over the lanes.
#include <fmt/format.h>

#include "renderer/c_helpers.h"

namespace tg::helpers {
namespace {

// The builtins exist for 4- and 8-byte elements in registers of 16 to 64 bytes.
struct MaskedMove {
  bool exists = false;
  std::string guard;    // feature macros
  std::string suffix;   // "ps256"
  std::string vector;   // type that the builtin takes
  std::string to_bits;  // builtin that makes a bit mask of the lane mask, where one is wanted
};

MaskedMove masked_move(CUnit& u, DType t, int lanes) {
  const int size = c_bytes(t), bytes = size * lanes;
  if ((size != 4 && size != 8) || bytes < 16 || bytes > 64) return {};
  const DType moved = size == 4 ? DType::Float32 : DType::Float64;
  const std::string kind = size == 4 ? "ps" : "pd";
  MaskedMove move{.exists = true, .vector = u.vector(moved, lanes)};
  if (bytes < 64) {
    move.guard = "defined(__AVX__)";
    move.suffix = kind + (bytes == 32 ? "256" : "");
  } else {
    move.guard = "defined(__AVX512F__) && defined(__AVX512DQ__)";
    move.suffix = kind + "512_mask";
    move.to_bits = size == 4 ? "__builtin_ia32_cvtd2mask512" : "__builtin_ia32_cvtq2mask512";
  }
  return move;
}

// The builtins for doubles want masks of `long long`, which is not the compilers' int64_t.
std::string mask_argument(const MaskedMove& move, int lanes, DType t) {
  const std::string m =
      c_bytes(t) == 8 ? fmt::format("(long long __attribute__((vector_size({}))))m", 8 * lanes)
                      : std::string("m");
  return move.to_bits.empty() ? m : fmt::format("{}({})", move.to_bits, m);
}

bool wide(const MaskedMove& move) { return !move.to_bits.empty(); }

std::string load_builtin(const MaskedMove& move, const std::string& v, int lanes, DType t) {
  const std::string mask = mask_argument(move, lanes, t);
  if (wide(move)) {
    return fmt::format(
        "  return ({0})__builtin_ia32_load{1}{2}((const void*)p, ({3}){{0}}, {4});\n", v, "u",
        move.suffix, move.vector, mask);
  }
  return fmt::format("  return ({0})__builtin_ia32_maskload{1}((const void*)p, {2});\n", v,
                     move.suffix, mask);
}

std::string store_builtin(const MaskedMove& move, int lanes, DType t) {
  const std::string mask = mask_argument(move, lanes, t);
  if (wide(move)) {
    return fmt::format("  __builtin_ia32_store{0}{1}((void*)p, ({2})v, {3});\n", "u", move.suffix,
                       move.vector, mask);
  }
  return fmt::format("  __builtin_ia32_maskstore{0}((void*)p, {1}, ({2})v);\n", move.suffix, mask,
                     move.vector);
}

std::string guarded(const MaskedMove& move, const std::string& builtin, const std::string& loop) {
  if (!move.exists) return loop;
  return fmt::format("#if {}\n{}#else\n{}#endif\n", move.guard, builtin, loop);
}

}  // namespace

std::string load_mask(CUnit& u, DType t, int lanes) {
  const std::string v = u.vector(t, lanes), m = u.vector(c_mask_dtype(c_bytes(t)), lanes),
                    name = "load_mask_" + v;
  return u.helper(name, [&] {
    const MaskedMove move = masked_move(u, t, lanes);
    const std::string loop = fmt::format(
        "  {0} r = {{0}};\n  for (int k = 0; k < {1}; ++k) {{\n    if (m[k]) r[k] = p[k];\n  }}\n  "
        "return r;\n",
        v, lanes);
    return fmt::format("FN {0} {1}(const {2}* p, {3} m) {{\n{4}}}\n", v, name, c_storage(t), m,
                       guarded(move, move.exists ? load_builtin(move, v, lanes, t) : "", loop));
  });
}

std::string store_mask(CUnit& u, DType t, int lanes) {
  const std::string v = u.vector(t, lanes), m = u.vector(c_mask_dtype(c_bytes(t)), lanes),
                    name = "store_mask_" + v;
  return u.helper(name, [&] {
    const MaskedMove move = masked_move(u, t, lanes);
    const std::string loop =
        fmt::format("  for (int k = 0; k < {}; ++k) {{\n    if (m[k]) p[k] = v[k];\n  }}\n", lanes);
    return fmt::format("FN void {0}({1}* p, {2} m, {3} v) {{\n{4}}}\n", name, c_storage(t), m, v,
                       guarded(move, move.exists ? store_builtin(move, lanes, t) : "", loop));
  });
}

std::string gather(CUnit& u, DType t, DType index, int lanes, bool masked) {
  const std::string v = u.vector(t, lanes), i = u.vector(index, lanes);
  const std::string name = fmt::format("gather_{}{}_{}", masked ? "mask_" : "", v, c_scalar(index));
  return u.helper(name, [&] {
    std::string items;
    for (int k = 0; k < lanes; ++k) {
      items += k == 0 ? "" : k % 8 == 0 ? ",\n             " : ", ";
      items += masked ? fmt::format("m[{0}] ? p[i[{0}]] : 0", k) : fmt::format("p[i[{}]]", k);
    }
    const std::string mask = masked ? ", " + u.vector(c_mask_dtype(c_bytes(t)), lanes) + " m" : "";
    return fmt::format("FN {0} {1}(const {2}* p, {3} i{4}) {{\n  return ({0}){{{5}}};\n}}\n", v,
                       name, c_storage(t), i, mask, items);
  });
}

}  // namespace tg::helpers
