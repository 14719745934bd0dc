// All recorded functions by name: kinds that fit the parameters, calls that give what C++ gives,
// errors that name the argument.
#include "capi/functions.h"

#include <set>

#include "capi/handles.h"
#include "tg/c/tg_ops.h"
#include "tg/tensor.h"
#include "unit/capi/capi_test_util.h"

namespace tg::capi::testing {
namespace {

TEST_F(CApi, FunctionsAreFoundByName) {
  EXPECT_GE(functions().size(), 200u);
  std::set<std::string> names;
  for (const tg_function_record& f : functions()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    tg_function found = nullptr;
    EXPECT_OK(tg_find_function(f.name.c_str(), &found));
    EXPECT_EQ(found, &f);
  }
  tg_function none = nullptr;
  EXPECT_EQ(tg_find_function("no_such_function", &none), TG_ERROR_ARGUMENT);
  EXPECT_EQ(tg_find_function(nullptr, &none), TG_ERROR_ARGUMENT);
  EXPECT_EQ(none, nullptr);
}

TEST_F(CApi, ParametersAndArgumentsOfEveryFunctionAgree) {
  for (const tg_function_record& f : functions()) {
    const FnRecord& r = *f.record;
    size_t positional = 0;
    bool fields = false;
    for (const FnParam& p : r.params) {
      EXPECT_FALSE(fields && p.set == nullptr) << f.name << ": " << p.name << " after options";
      fields = fields || p.set != nullptr;
      positional += p.set == nullptr ? 1 : 0;
      EXPECT_EQ(p.set != nullptr, p.type.starts_with("field of ")) << f.name << " " << p.name;
    }
    ASSERT_EQ(positional, r.call.takes.size()) << f.name;
    for (size_t i = 0; i < r.params.size(); ++i) {
      const FnType& type = r.param_type(i);
      EXPECT_NE(type.kind, FnKind::None) << f.name << " " << r.params[i].name;
      EXPECT_EQ(type.kind == FnKind::Choice, type.choices != nullptr) << f.name;
      const bool tensor = r.params[i].set == nullptr && r.params[i].type == "Tensor";
      EXPECT_EQ(tensor, r.params[i].set == nullptr && type.kind == FnKind::Tensor &&
                            r.params[i].type != "const Tensor*")
          << f.name << " " << r.params[i].name;
      EXPECT_TRUE(!r.params[i].number || tensor) << f.name << " " << r.params[i].name;
    }
  }
}

// The default that the documentation shows is one that the conversion of its type accepts.
TEST_F(CApi, DefaultsThatAreValuesCanBeRead) {
  int read = 0;
  for (const tg_function_record& f : functions()) {
    for (size_t i = 0; i < f.record->params.size(); ++i) {
      const FnParam& p = f.record->params[i];
      const FnPlace place = {f.name, p.name, p.default_value};
      const FnType& type = f.record->param_type(i);
      if (type.kind == FnKind::Bool || type.kind == FnKind::Choice) {
        if (p.default_value.empty() || p.default_value == "none" ||
            p.default_value == "as TrainingScope says")
          continue;
        ++read;
        if (type.kind == FnKind::Bool)
          EXPECT_NO_THROW(to_bool(parse_default(place), place)) << f.name << " " << p.name;
        else
          EXPECT_NO_THROW(to_choice(parse_default(place), *type.choices, place)) << f.name;
      } else if (p.set == nullptr && !p.default_value.empty() &&
                 (type.kind == FnKind::Int || type.kind == FnKind::Float) && f.name != "split" &&
                 f.name != "squeeze" && f.name != "repeat_interleave" && f.name != "irfft" &&
                 !f.name.starts_with("shard")) {
        ++read;
        EXPECT_NO_THROW(to_double(parse_default(place), place)) << f.name << " " << p.name;
      }
    }
  }
  EXPECT_GE(read, 40);
}

TEST_F(CApi, CallsGiveWhatCppGives) {
  const tg_tensor x = vector_of({3, 1, 2});
  const tg_tensor sorted = tensor_from("softmax", {tensor_value(x)});
  EXPECT_EQ(floats_of(sorted), (Tensor{3.f, 1.f, 2.f}.softmax().to_vector<float>()));
  tg_value text = {};
  EXPECT_OK(call("str", {tensor_value(x)}, &text));
  EXPECT_STREQ(text.as.text, "[3. 1. 2.] float32[3]");
  EXPECT_OK(tg_value_clear(&text));
  tg_value pair = {};
  EXPECT_OK(call("var_mean", {tensor_value(x)}, &pair));
  ASSERT_EQ(pair.kind, TG_TENSORS);
  EXPECT_EQ(pair.count, 2u);
  EXPECT_EQ(floats_of(pair.as.tensors[1]), std::vector<float>{2});
  EXPECT_OK(tg_value_clear(&pair));
  tg_value shape = {};
  EXPECT_OK(call("shape", {tensor_value(x)}, &shape));
  ASSERT_EQ(shape.kind, TG_INTS);
  EXPECT_EQ(shape.as.ints[0], 3);
  EXPECT_OK(tg_value_clear(&shape));
  tg_value bytes = {};
  EXPECT_OK(call("to_bytes", {tensor_value(x)}, &bytes));
  EXPECT_EQ(bytes.kind, TG_BYTES);
  EXPECT_EQ(bytes.count, 12u);
  EXPECT_OK(tg_value_clear(&bytes));
  for (tg_tensor t : {x, sorted}) EXPECT_OK(tg_release(t));
}

// Lists of integers and tensors stand for what they stand for in every kind of parameter.
TEST_F(CApi, ListsAndTensorsAreReadWhereverTheyMayStand) {
  const tg_tensor x = vector_of({1, 2, 3, 4});
  const std::vector<int64_t> rows = {2, 2}, pairs = {1, 0}, axes = {0, 1};
  const tg_tensor square = tensor_from("reshape", {tensor_value(x), ints_value(rows)});
  const tg_tensor flipped = tensor_from("flip", {tensor_value(square), ints_value(axes)});
  EXPECT_EQ(floats_of(flipped), (std::vector<float>{4, 3, 2, 1}));
  const tg_tensor padded = tensor_from("pad", {tensor_value(x), ints_value(pairs)});
  EXPECT_EQ(floats_of(padded), (std::vector<float>{0, 1, 2, 3, 4}));
  const tg_tensor four = tensor_from("mul", {int_value(4), tensor_value(x)});
  EXPECT_EQ(floats_of(four), (std::vector<float>{4, 8, 12, 16}));
  const tg_tensor both = tensor_from("stack", {tensor_value(x), int_value(0)});
  EXPECT_EQ(floats_of(both), (std::vector<float>{1, 2, 3, 4}));
  for (tg_tensor t : {x, square, flipped, padded, four, both}) EXPECT_OK(tg_release(t));
}

TEST_F(CApi, OptionsAreGivenInOrderOrLeftOut) {
  const tg_tensor x = vector_of({1, 2, 3});
  tg_value keep = {};
  keep.kind = TG_BOOL;
  keep.as.integer = 1;
  const tg_tensor kept = tensor_from("sum", {tensor_value(x), tg_value{}, keep});
  size_t ndim = 0;
  EXPECT_OK(tg_tensor_shape(kept, nullptr, 0, &ndim));
  EXPECT_EQ(ndim, 1u);
  const tg_tensor floored =
      tensor_from("div", {tensor_value(x), int_value(2), text_value("floor")});
  EXPECT_EQ(floats_of(floored), (std::vector<float>{0, 1, 1}));
  for (tg_tensor t : {x, kept, floored}) EXPECT_OK(tg_release(t));
}

TEST_F(CApi, DeclaredFunctionsTakeOptionsByField) {
  const tg_tensor x = vector_of({1, 2, 3});
  tg_sum_options options = {};
  options.struct_size = sizeof options;
  options.keepdim = tg_bool(true);
  tg_tensor sum = nullptr;
  ASSERT_OK(tg_sum(x, &options, &sum));
  int64_t ndim = 0, size = 0;
  EXPECT_OK(tg_ndim(sum, &ndim));
  EXPECT_EQ(ndim, 1);
  EXPECT_OK(tg_size_of(x, 0, &size));
  EXPECT_EQ(size, 3);
  EXPECT_OK(tg_release(sum));
  options.struct_size = offsetof(tg_sum_options, keepdim);  // of a caller that knows fewer fields
  ASSERT_OK(tg_sum(x, &options, &sum));
  EXPECT_OK(tg_ndim(sum, &ndim));
  EXPECT_EQ(ndim, 0);
  EXPECT_OK(tg_release(sum));
  options.struct_size = 0;
  EXPECT_EQ(tg_sum(x, &options, &sum), TG_ERROR_ARGUMENT);
  tg_dtype dtype = TG_DTYPE_BOOL;
  EXPECT_OK(tg_dtype_of(x, &dtype));
  EXPECT_EQ(dtype, TG_DTYPE_FLOAT32);
  EXPECT_OK(tg_neg(x, nullptr)) << "nobody wants the result";
  EXPECT_OK(tg_release(x));
}

TEST_F(CApi, WrongArgumentsAreNamed) {
  const tg_tensor x = vector_of({1, 2, 3});
  struct Case {
    const char* function;
    std::vector<tg_value> arguments;
    tg_status status;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"softmax", {}, TG_ERROR_ARGUMENT, "softmax: the tensor is missing"},
      {"add", {tensor_value(x)}, TG_ERROR_ARGUMENT, "add: other is missing"},
      {"softmax",
       {tensor_value(x), text_value("x")},
       TG_ERROR_ARGUMENT,
       "axis must be a whole number, not string"},
      {"softmax", {tensor_value(x), int_value(7)}, TG_ERROR_INDEX, "softmax"},
      {"neg", {tensor_value(x), int_value(7)}, TG_ERROR_ARGUMENT, "takes at most 1 arguments"},
      {"div",
       {tensor_value(x), int_value(2), text_value("up")},
       TG_ERROR_ARGUMENT,
       "None, Trunc, Floor"},
      {"div",
       {tensor_value(x), int_value(2), int_value(9)},
       TG_ERROR_ARGUMENT,
       "None, Trunc, Floor"},
      {"reshape", {tensor_value(x), int_value(7)}, TG_ERROR_SHAPE, "reshape"},
      {"linear",
       {tensor_value(x), tensor_value(x), int_value(1)},
       TG_ERROR_ARGUMENT,
       "bias must be a tensor, not int"},
      {"to", {tensor_value(x), tensor_value(x)}, TG_ERROR_ARGUMENT, "must be a string, not tensor"},
      {"to", {tensor_value(x), ints_value({1, 2})}, TG_ERROR_ARGUMENT, "a string, not ints"},
      {"nn.Linear", {int_value(0), int_value(1)}, TG_ERROR_ARGUMENT, "Linear"},
      {"to", {tensor_value(x), text_value("NOWHERE")}, TG_ERROR_DEVICE, "NOWHERE"},
  };
  for (const Case& c : cases) {
    tg_value result = int_value(42);
    EXPECT_EQ(call(c.function, c.arguments, &result), c.status) << c.function;
    EXPECT_NE(std::string(tg_error_message()).find(c.message), std::string::npos)
        << tg_error_message();
    EXPECT_EQ(result.as.integer, 42) << "results are untouched";
  }
  EXPECT_OK(tg_release(x));
}

}  // namespace
}  // namespace tg::capi::testing
