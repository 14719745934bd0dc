// Passes that a program adds: seen in the kernels, in the right order, checked, and gone when they
// are taken away.
#include <gtest/gtest.h>
#include <tg/ir/graph.h>
#include <tg/ir/pass.h>
#include <tg/ir/text.h>
#include <tg/ir/walk.h>
#include <tg/tg.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace tg {
namespace {

Pattern root_of(Pattern p) { return op(Op::Sqrt, {p}); }

Pass join_roots() {
  using namespace patterns;
  return pass_of("join-roots", "one root instead of a product of two",
                 {rule("sqrt-product", root_of(x) * root_of(y), root_of(x * y))});
}

Pass named_pass(
    std::string name, std::function<UOp(const UOp&)> run = [](const UOp& g) { return g; }) {
  return {std::move(name), "a test", std::move(run)};
}

int64_t roots(const Tensor& t) {
  int64_t n = 0;
  for (const UOp& kernel : kernels_of(t)) n += count_nodes(kernel, Op::Sqrt);
  return n;
}

class AddedPasses : public testing::Test {
 protected:
  Tensor product() const { return a_.sqrt() * b_.sqrt(); }
  /// What evaluating something throws.
  template <typename E = ArgumentError>
  std::string message() const {
    try {
      (a_ + b_).realize();
    } catch (const E& e) {
      return e.what();
    }
    return "nothing";
  }
  static std::vector<std::string> names(PassPoint at) {
    std::vector<std::string> out;
    for (const PassInfo& p : compiler_passes(at)) out.push_back(p.name);
    return out;
  }

  const Tensor a_ = Tensor({1.0f, 2.0f, 3.0f}).realize();
  const Tensor b_ = Tensor({4.0f, 0.5f, 3.0f}).realize();
};

TEST_F(AddedPasses, OfTheGraphShowInTheKernelAndInItsValues) {
  ASSERT_EQ(roots(product()), 2);
  const std::vector<float> before = product().to_vector<float>();
  {
    const AddedPass joined = add_pass(PassPoint::Graph, join_roots());
    EXPECT_EQ(roots(product()), 1);
    const std::vector<float> with = product().to_vector<float>();
    for (size_t i = 0; i < before.size(); ++i) EXPECT_FLOAT_EQ(with[i], before[i]);
  }
  EXPECT_EQ(roots(product()), 2);
}

TEST_F(AddedPasses, OfKernelsShowInTheKernel) {
  const AddedPass joined = add_pass(PassPoint::Kernel, join_roots());
  EXPECT_EQ(roots(product()), 1);
}

// What runs is what kernels_of() shows: the pass adds one to every stored value.
TEST_F(AddedPasses, OfKernelsAreRun) {
  const AddedPass plus_one =
      add_pass(PassPoint::Kernel, named_pass("plus-one", [](const UOp& kernel) {
                 const UOp root = kernel.src(0), store = root.src(0);
                 std::vector<UOp> src = store.srcs(), loops = root.srcs();
                 src.back() = src.back() + const_like(src.back(), 1.0);
                 loops.erase(loops.begin());
                 const UOp changed = end(with_sources(store, src), loops);
                 return sink(std::span(&changed, 1));
               }));
  EXPECT_EQ((a_ + b_).to_vector<float>(), (std::vector<float>{6.0f, 3.5f, 7.0f}));
}

TEST_F(AddedPasses, RunWhereTheyWerePut) {
  const AddedPass last = add_pass(PassPoint::Kernel, named_pass("last"), "running-reductions");
  const AddedPass first = add_pass(PassPoint::Kernel, named_pass("first"));
  const AddedPass behind = add_pass(PassPoint::Kernel, named_pass("behind"), "first");
  const std::vector<std::string> all = names(PassPoint::Kernel);
  EXPECT_EQ(all.front(), "first");
  EXPECT_EQ(all[1], "behind");
  EXPECT_EQ(all.back(), "last");
  std::string order;
  std::vector<AddedPass> spies;
  for (const char* name : {"last", "behind", "first"}) {
    spies.push_back(add_pass(PassPoint::Kernel,
                             named_pass(std::string("spy-") + name,
                                        [&order, name](const UOp& k) {
                                          order += std::string(name) + " ";
                                          return k;
                                        }),
                             name));
  }
  kernels_of(a_ + b_);
  EXPECT_EQ(order, "behind first last ");
}

TEST_F(AddedPasses, BehindOneThatIsTakenAwayStay) {
  AddedPass first = add_pass(PassPoint::Graph, named_pass("first"), "signed-dots");
  const AddedPass behind = add_pass(PassPoint::Graph, named_pass("behind"), "first");
  first.remove();
  EXPECT_EQ(names(PassPoint::Graph).back(), "behind");
}

TEST_F(AddedPasses, NeedANameAFunctionAndAPlace) {
  EXPECT_THROW((void)add_pass(PassPoint::Graph, named_pass("")), ArgumentError);
  EXPECT_THROW((void)add_pass(PassPoint::Graph, named_pass("mine", nullptr)), ArgumentError);
  EXPECT_THROW((void)add_pass(PassPoint::Graph, named_pass("simplify")), ArgumentError);
  const AddedPass mine = add_pass(PassPoint::Graph, named_pass("mine"));
  EXPECT_THROW((void)add_pass(PassPoint::Graph, named_pass("mine")), ArgumentError);
  try {
    (void)add_pass(PassPoint::Graph, named_pass("other"), "merge-axes");
    FAIL() << "a pass of kernels is no place for one of graphs";
  } catch (const ArgumentError& e) {
    EXPECT_STREQ(e.what(),
                 "add_pass: there is no pass \"merge-axes\" to run after. Hint: there are "
                 "masked-sums, place-scans, simplify, needless-stores, signed-dots, mine.");
  }
}

struct Breach {
  const char* name;
  PassPoint at;
  UOp (*run)(const UOp& graph);
  const char* says;
};

UOp only(const UOp& root) { return sink(std::span(&root, 1)); }

const Breach kBreaches[] = {
    {"Nothing", PassPoint::Graph, [](const UOp&) { return UOp(); },
     "returns nothing instead of a sink of 1 roots"},
    {"NoSink", PassPoint::Graph, [](const UOp& g) { return g.src(0); }, "instead of a sink"},
    {"OtherShape", PassPoint::Graph,
     [](const UOp& g) { return only(shrink_axis(g.src(0), 0, 0, 2)); },
     "makes float32[2] @CPU of root 0, which was float32[3] @CPU"},
    {"OtherDType", PassPoint::Graph,
     [](const UOp& g) { return only(cast(g.src(0), DType::Int32)); }, "makes int32[3]"},
    {"OtherStorage", PassPoint::Graph,
     [](const UOp& g) {
       const std::vector<int64_t> slot = {9, 3};
       return only(g.src(0) + make(Op::Param, {}, slot, DType::Float32, g.src(0).device()));
     },
     "uses storage that the graph does not have"},
    {"NoKernel", PassPoint::Kernel, [](const UOp& k) { return only(k.src(0).src(0)); },
     "returns what is no kernel"},
    {"FewerArrays", PassPoint::Kernel,
     [](const UOp& k) {
       return substitute(
           k, [](const Node* n) { return n->op == Op::Load ? constant(0.0, n->dtype) : UOp(); });
     },
     "leaves 1 of 3 arrays of a kernel"},
};

class Breaches : public AddedPasses, public testing::WithParamInterface<Breach> {};

TEST_P(Breaches, AreNamedAndHarmNothing) {
  const Breach& b = GetParam();
  {
    const AddedPass wrong = add_pass(b.at, named_pass("mine", b.run));
    const std::string said = message();
    EXPECT_TRUE(said.starts_with("pass mine: ")) << said;
    EXPECT_NE(said.find(b.says), std::string::npos) << said;
  }
  EXPECT_EQ((a_ + b_).to_vector<float>(), (std::vector<float>{5.0f, 2.5f, 6.0f}));
}

INSTANTIATE_TEST_SUITE_P(OfPasses, Breaches, testing::ValuesIn(kBreaches),
                         [](const auto& info) { return info.param.name; });

TEST_F(AddedPasses, MustNotEvaluate) {
  const AddedPass wrong = add_pass(PassPoint::Graph, named_pass("mine", [](const UOp& g) {
                                     (Tensor::ones({3}) + 1).realize();
                                     return g;
                                   }));
  EXPECT_EQ(message(),
            "realize: a pass of the compiler asks for a computation. Hint: compute what it needs "
            "before it is added.");
}

TEST_F(AddedPasses, MayThrowWhatTheyLike) {
  const AddedPass wrong =
      add_pass(PassPoint::Kernel,
               named_pass("mine", [](const UOp&) -> UOp { throw std::length_error("of my own"); }));
  EXPECT_EQ(message<std::length_error>(), "of my own");
}

TEST_F(AddedPasses, AreNotForgottenByCapturedCalls) {
  auto both = jit([](const Tensor& x, const Tensor& y) { return x.sqrt() * y.sqrt(); });
  std::vector<float> want;
  {
    const AddedPass joined = add_pass(PassPoint::Graph, join_roots());
    for (int i = 0; i < 3; ++i) want = both(a_, b_).to_vector<float>();
  }
  EXPECT_EQ(both(a_, b_).to_vector<float>(), want);
}

TEST_F(AddedPasses, ComeAndGoWhileOthersCompute) {
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) EXPECT_FLOAT_EQ(product().to_vector<float>()[0], 2.0f);
  });
  for (int i = 0; i < 20; ++i) {
    const AddedPass joined = add_pass(PassPoint::Graph, join_roots());
    EXPECT_FLOAT_EQ(product().to_vector<float>()[0], 2.0f);
  }
  stop = true;
  other.join();
}

TEST(Graphs, OfTensorsAndBack) {
  const Tensor x = Tensor({1.0f, 4.0f});
  const UOp graph = graph_of(x.sqrt() + 1);
  EXPECT_EQ(count_nodes(graph, Op::Sqrt), 1);
  EXPECT_EQ(tensor_of(graph).to_vector<float>(), (std::vector<float>{2.0f, 3.0f}));
  EXPECT_EQ(kernels_of(x.sqrt() + 1).size(), 1u);
}

TEST(Graphs, ThatAreNoValuesAreNoTensors) {
  EXPECT_THROW(tensor_of(UOp()), ArgumentError);
  EXPECT_THROW(tensor_of(index_const(3)), ArgumentError);
  EXPECT_THROW(tensor_of(range(4, 0)), ArgumentError);
  EXPECT_THROW(tensor_of(kernels_of(Tensor({1.0f}) + 1)[0]), ArgumentError);
}

}  // namespace
}  // namespace tg
