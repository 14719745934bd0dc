// Networks that people compare, made of the library's layers as a user would. Their weights are
// random: only the time counts.
#include <array>
#include <memory>
#include <vector>

#include "tg/tg.h"
#include "workloads.h"

namespace tg::peers {
namespace {

// Computes the parameters of a model that lives on in the call.
template <typename M>
std::shared_ptr<M> computed(std::shared_ptr<M> model) {
  std::vector<Tensor> all;
  nn::visit_tensors(*model, [&](const std::string&, Tensor& t) { all.push_back(t); });
  Tensor::realize(all);
  return model;
}

nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
  return {in, out, {kernel}, {.stride = {stride}, .padding = {padding}, .bias = false}};
}

// ---- ResNet-18

struct Shortcut {
  nn::Conv2d conv;
  nn::BatchNorm norm;
  template <typename F>
  void visit(F&& f) {
    f("conv", conv), f("norm", norm);
  }
};

struct Residual {
  Residual(int64_t in, int64_t out, int64_t stride)
      : conv1(conv(in, out, 3, stride, 1)), conv2(conv(out, out, 3, 1, 1)), norm1(out), norm2(out) {
    if (stride != 1 || in != out) side.push_back({conv(in, out, 1, stride, 0), nn::BatchNorm(out)});
  }
  Tensor operator()(const Tensor& x) const {
    const Tensor y = norm2(conv2(norm1(conv1(x)).relu()));
    return (y + (side.empty() ? x : side[0].norm(side[0].conv(x)))).relu();
  }
  template <typename F>
  void visit(F&& f) {
    f("conv1", conv1), f("norm1", norm1), f("conv2", conv2), f("norm2", norm2), f("side", side);
  }
  static nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding) {
    return peers::conv(in, out, kernel, stride, padding);
  }

  nn::Conv2d conv1, conv2;
  nn::BatchNorm norm1, norm2;
  std::vector<Shortcut> side;  // none or one
};

struct ResNet18 {
  ResNet18() {
    int64_t in = 64;
    for (const auto& [out, stride] :
         {std::pair<int64_t, int64_t>{64, 1}, {128, 2}, {256, 2}, {512, 2}}) {
      blocks.emplace_back(in, out, stride);
      blocks.emplace_back(out, out, 1);
      in = out;
    }
  }
  Tensor operator()(const Tensor& images) const {
    Tensor x = norm(stem(images))
                   .relu()
                   .max_pool2d({.kernel_size = {3, 3}, .stride = {2}, .padding = {1}});
    for (const Residual& block : blocks) x = block(x);
    return out(x.mean({.axis = {2, 3}}));
  }
  template <typename F>
  void visit(F&& f) {
    f("stem", stem), f("norm", norm), f("blocks", blocks), f("out", out);
  }

  nn::Conv2d stem = conv(3, 64, 7, 2, 3);
  nn::BatchNorm norm{64};
  std::vector<Residual> blocks;
  nn::Linear out{512, 1000};
};

// ---- GPT-2

constexpr int64_t kWidth = 768, kHeads = 12, kBlocks = 12, kWords = 50257, kPlaces = 1024;

struct LayerNorm {
  Tensor operator()(const Tensor& x) const {
    return x.layer_norm({.weight = &weight, .bias = &bias});
  }
  template <typename F>
  void visit(F&& f) {
    f("weight", weight), f("bias", bias);
  }

  Tensor weight = Tensor::ones({kWidth}), bias = Tensor::zeros({kWidth});
};

struct Block {
  // [tokens, width]; the mask is added to the attention of each word to each.
  Tensor operator()(const Tensor& x, const Tensor& mask) const {
    const int64_t n = x.size(0), depth = kWidth / kHeads;
    const Tensor qkv = in(norm1(x)).reshape({n, 3, kHeads, depth}).permute({1, 2, 0, 3});
    const Tensor scores = qkv[0].matmul(qkv[1].transpose(1, 2)) * (1 / 8.0) + mask;
    const Tensor mixed = scores.softmax().matmul(qkv[2]).permute({1, 0, 2}).reshape({n, kWidth});
    const Tensor y = x + out(mixed);
    return (y + down(up(norm2(y)).gelu())).contiguous();
  }
  template <typename F>
  void visit(F&& f) {
    f("norm1", norm1), f("in", in), f("out", out), f("norm2", norm2), f("up", up), f("down", down);
  }

  LayerNorm norm1, norm2;
  nn::Linear in{kWidth, 3 * kWidth}, out{kWidth, kWidth};
  nn::Linear up{kWidth, 4 * kWidth}, down{4 * kWidth, kWidth};
};

struct Gpt2 {
  Tensor operator()(const Tensor& text) const {
    const int64_t n = text.size(0);
    const Tensor mask = Tensor::full({n, n}, -1e30, {.buffer = false}).triu(1);
    Tensor x = words[text] + places[Slice(0, n)];
    for (const Block& block : blocks) x = block(x, mask);
    return last(x[Slice(n - 1, n)]).matmul(words.transpose()).argmax();
  }
  // Of each word but the first, by those before it.
  Tensor loss(const Tensor& text) const {
    const int64_t n = text.size(0);
    const Tensor mask = Tensor::full({n, n}, -1e30, {.buffer = false}).triu(1);
    Tensor x = words[text] + places[Slice(0, n)];
    for (const Block& block : blocks) x = block(x, mask);
    return last(x[Slice(0, n - 1)]).matmul(words.transpose()).cross_entropy(text[Slice(1, n)]);
  }
  template <typename F>
  void visit(F&& f) {
    f("words", words), f("places", places), f("blocks", blocks), f("last", last);
  }

  Tensor words = Tensor::uniform({kWords, kWidth}, {.low = -0.02, .high = 0.02});
  Tensor places = Tensor::uniform({kPlaces, kWidth}, {.low = -0.02, .high = 0.02});
  std::vector<Block> blocks = std::vector<Block>(kBlocks);
  LayerNorm last;
};

// ---- MNIST

struct Mnist {
  Tensor operator()(const Tensor& images) const {
    Tensor x = norm1(conv2(conv1(images).relu()).relu()).max_pool2d();
    x = norm2(conv4(conv3(x).relu()).relu()).max_pool2d();
    return out(x.flatten(1));
  }
  template <typename F>
  void visit(F&& f) {
    f("conv1", conv1), f("conv2", conv2), f("norm1", norm1);
    f("conv3", conv3), f("conv4", conv4), f("norm2", norm2), f("out", out);
  }

  nn::Conv2d conv1{1, 32, 5}, conv2{32, 32, 5};
  nn::BatchNorm norm1{32};
  nn::Conv2d conv3{32, 64, 3}, conv4{64, 64, 3};
  nn::BatchNorm norm2{64};
  nn::Linear out{576, 10};
};

struct Training {
  explicit Training(int64_t batch)
      : images(data({batch, 1, 28, 28})),
        labels(Tensor::randint({batch}, {.low = 0, .high = 10}).realize()) {}
  // The loss; the parameters are updated when it is computed.
  Tensor step(const Tensor& x) {
    const TrainingScope training;
    const Tensor loss = net(x).cross_entropy(labels);
    adam.step(loss);
    return loss;
  }
  Mnist net;
  nn::Adam adam{net};
  Tensor images, labels;
};

}  // namespace

Call resnet18(int64_t batch) {
  return [net = computed(std::make_shared<ResNet18>()), x = data({batch, 3, 224, 224})] {
    finish((*net)(x));
  };
}

Call gpt2_prefill(int64_t tokens) {
  const Tensor text = Tensor::randint({tokens}, {.low = 0, .high = kWords}).realize();
  return [net = computed(std::make_shared<Gpt2>()), text] { (*net)(text).item<int64_t>(); };
}

Call gpt2_step(int64_t tokens) {
  const Tensor text = Tensor::randint({tokens}, {.low = 0, .high = kWords}).realize();
  const auto net = computed(std::make_shared<Gpt2>());
  std::vector<Tensor> parameters;
  nn::visit_tensors(*net, [&](const std::string&, Tensor& t) { parameters.push_back(t); });
  auto run = [net, parameters](const Tensor& words) {
    return net->loss(words).gradient(parameters);
  };
  const auto step = std::make_shared<TinyJit<decltype(run)>>(run);
  return [step, text] { finish((*step)(text).front()); };
}

Call mnist_step(int64_t batch) {
  return [t = std::make_shared<Training>(batch)] { t->step(t->images).item<double>(); };
}

Call captured_mnist_step(int64_t batch) {
  const auto t = std::make_shared<Training>(batch);
  auto run = [t](const Tensor& images) { return t->step(images); };
  const auto step = std::make_shared<TinyJit<decltype(run)>>(run);
  return [t, step] { (*step)(t->images).item<double>(); };
}

}  // namespace tg::peers
