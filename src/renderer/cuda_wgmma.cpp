// See cuda_wgmma.h. The PTX manual's "Asynchronous warpgroup-level matrix instructions": a factor
// is told by a descriptor of 64 bits, of which the lowest 14 are its address, then come the
// distance of its blocks and that of every eight rows, all in units of 16 bytes, and the highest
// two say that places change every 128 bytes.
#include "renderer/cuda_wgmma.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/c_dialect.h"

namespace tg {
namespace {

// What an instruction leaves to others: to see what the work-items wrote to shared memory, not to
// begin before their registers are there, and not to read these before it is done. That is an
// instruction for each, a product by one: without it ptxas 13.0 reads sums that are rounded to half
// and widened again before the wait, says so (C7514) and has every product wait for the one before.
constexpr std::string_view kWaits = R"(#ifndef TG_EMULATED
FN void tg_mma_publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
FN void tg_mma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
FN void tg_mma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
FN void tg_mma_done(f32& sum) { asm volatile("mul.f32 %0, %0, 0f3F800000;" : "+f"(sum)); }
template <typename T, int N>
FN void tg_mma_done(Vec<T, N>& sums) {
#pragma unroll
  LANES tg_mma_done(sums[k]);
}
template <int batches, typename... Sums>
FN void tg_mma_wait(Sums&... sums) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(batches) : "memory");
  (tg_mma_done(sums), ...);
}
FN u64 tg_mma_factor(const void* at, u32 block) {
  const u64 address = u32(__cvta_generic_to_shared(at)) & 0x3ffff;
  return address >> 4 | u64(block >> 4) << 16 | u64(1024 >> 4) << 32 | u64(1) << 62;
}
#endif
)";

std::string_view type_of(const MatrixUnit& unit) {
  return unit.input == DType::Float16 ? "f16" : "bf16";
}

std::string join(int64_t count, std::string_view pattern) {
  std::string out;
  for (int64_t k = 0; k < count; ++k)
    out += (k == 0 ? "" : ", ") + fmt::format(fmt::runtime(pattern), k);
  return out;
}

}  // namespace

std::string cuda_multiply_async(CUnit& u, const MatrixUnit& unit, bool across_a, bool across_b) {
  const int64_t sums = unit.c.registers();
  const std::string name = "tg_mma_" + unit.name, c = u.vector(unit.sum, static_cast<int>(sums)),
                    element = std::string(u.type(unit.input, 1));
  u.helper("tg_mma_factor", [] { return std::string(kWaits); });
  u.helper(name, [&] {
    return fmt::format(
        "#ifndef TG_EMULATED\ntemplate <int across_a, int across_b>\n"
        "FN {0} {1}(const {2}* a, u32 block_a, const {2}* b, u32 block_b, {0} c) {{\n"
        "  asm volatile(\"{{\\n\\t.reg .pred p;\\n\\tsetp.ne.b32 p, 1, 0;\\n\\t\"\n"
        "      \"wgmma.mma_async.sync.aligned.m{3}n{4}k{5}.f32.{6}.{6} \"\n"
        "      \"{{{7}}}, %{8}, %{9}, p, 1, 1{10};\\n\\t}}\"\n"
        "      : {11}\n      : \"l\"(tg_mma_factor(a, block_a)), "
        "\"l\"(tg_mma_factor(b, block_b)){12});\n"
        "  return c;\n}}\n#endif\n",
        c, name, element, unit.m, unit.n, unit.k, type_of(unit), join(sums, "%{}"), sums, sums + 1,
        fmt::format(", %{}, %{}", sums + 2, sums + 3), join(sums, "\"+f\"(c[{}])"),
        ", \"n\"(across_a), \"n\"(across_b)");
  });
  return fmt::format("{}<{}, {}>", name, int{across_a}, int{across_b});
}

bool has_async_products(const LinearKernel& kernel) {
  return std::ranges::any_of(kernel.ops, [](const UOp& u) { return u.is(Op::MmaAsync); });
}

}  // namespace tg
