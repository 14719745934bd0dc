// A linear kernel as text, for people; see code.h.
#include <unordered_map>

#include "backends/interp/code.h"
#include "support/check.h"

namespace tg::interp {
namespace {

std::string line(const UOp& u, size_t position,
                 const std::unordered_map<const Node*, size_t>& numbers) {
  std::string sources, words;
  for (int s = 0; s < u.n_src(); ++s) {
    auto it = numbers.find(u.src_node(s));
    sources += it == numbers.end() ? " %?" : fmt::format(" %{}", it->second);
  }
  if (u.is(Op::Const)) {
    words = " " + u.scalar().str();
  } else if (!u.arg().empty()) {
    words = fmt::format(" {{{}}}", fmt::join(u.arg(), ", "));
  }
  const std::string lanes = u.lanes() == 1 ? "" : fmt::format(".{}", u.lanes());
  return fmt::format("%{} = {}{} {}{}{}\n", position, op_name(u.op()), lanes, dtype_name(u.dtype()),
                     sources, words);
}

}  // namespace

std::string listing(const LinearKernel& kernel) {
  std::string out = fmt::format("// {}: {} chunks, {} bytes of scratch\n", kernel.name,
                                kernel.chunks, kernel.scratch_bytes);
  std::unordered_map<const Node*, size_t> numbers;
  for (size_t i = 0; i < kernel.ops.size(); ++i) {
    if (!kernel.ops[i]) continue;
    out += line(kernel.ops[i], i, numbers);
    numbers[kernel.ops[i].node()] = i;
  }
  return out;
}

}  // namespace tg::interp
