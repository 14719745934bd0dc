// Models of ONNX: src/frontend/onnx/read.h. What is accepted is described; nothing is computed.
#include "fuzz/fuzz.h"
#include "tg/models/onnx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  fuzz::read_or_refuse([&] {
    const onnx::Model model = onnx::parse(std::as_bytes(std::span(data, size)), {}, "fuzz");
    int64_t nodes = 0;
    for (const auto& [op, count] : model.operators()) nodes += count;
    fuzz::expect(nodes >= 0 && static_cast<size_t>(nodes) <= size, "a node takes at least a byte");
    for (const auto& [name, tensor] : model.parameters())
      fuzz::expect(tensor.nbytes() >= 0 && static_cast<size_t>(tensor.nbytes()) <= 8 * size + 8,
                   "a tensor has no more elements than the file");
  });
  return 0;
}
