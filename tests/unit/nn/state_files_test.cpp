// Files of tensors as state dicts: PyTorch's formats, GGUF, NumPy, sharded safetensors, archives,
// and the content that tells which is which.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "file_builders.h"
#include "nn_test_util.h"
#include "support/file.h"
#include "tg/layers.h"
#include "tg/random.h"
#include "tg/state.h"

namespace tg::nn {
namespace {

using namespace pickles;

class StateFiles : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return dir_.path() / name; }
  std::filesystem::path write(const std::string& bytes, const std::string& name = "f") const {
    write_file(path(name), bytes, Sync::No);
    return path(name);
  }
  std::string torch_error(const std::string& value, const Contents& storages = {}) const {
    const auto file = write(torch_zip(value, storages));
    const std::string message = file_error_of([&] { torch_load(file); });
    const size_t at = message.find(file.string());
    return at == message.npos
               ? message
               : message.substr(0, at) + "F" + message.substr(at + file.string().size());
  }
  TempDir dir_;
};

std::string twelve() {
  std::vector<float> values;
  for (int i = 0; i < 12; ++i) values.push_back(static_cast<float>(i));
  return raw(values);
}
std::string views() {
  const std::string of = storage("Float", "0", 12);
  return dict({{text("whole"), tensor(of, 0, {3, 4}, {4, 1})},
               {text("part"), tensor(of, 5, {2, 2}, {4, 1})},
               {text("turned"), tensor(of, 0, {4, 3}, {1, 4})},
               {text("stretched"), tensor(of, 0, {2, 3}, {0, 2})},
               {text("scalar"), tensor(of, 7, {}, {})},
               {text("nothing"), tensor(of, 0, {0, 3}, {3, 1})}});
}
void expect_views(const StateDict& d) {
  ASSERT_EQ(d.size(), 6u);
  EXPECT_EQ(d.at("whole").shape(), (Shape{3, 4}));
  EXPECT_EQ(d.at("whole").to_vector<int>(),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(d.at("part").to_vector<int>(), (std::vector<int>{5, 6, 9, 10}));
  EXPECT_EQ(d.at("turned").to_vector<int>(),
            (std::vector<int>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(d.at("stretched").to_vector<int>(), (std::vector<int>{0, 2, 4, 0, 2, 4}));
  EXPECT_EQ(d.at("scalar").item<int>(), 7);
  EXPECT_EQ(d.at("nothing").shape(), (Shape{0, 3}));
}

TEST_F(StateFiles, TorchArchivesGiveViewsOfTheirStorages) {
  const auto file = write(torch_zip(views(), {{"0", twelve()}}));
  expect_views(torch_load(file));
  expect_views(load(file));
}

TEST_F(StateFiles, TorchStreamsFromBeforeGiveTheSame) {
  std::string value = views();
  const std::string in_zip = storage("Float", "0", 12), in_stream = storage("Float", "0", 12, "N");
  for (size_t at = 0; (at = value.find(in_zip, at)) != value.npos; at += in_stream.size())
    value.replace(at, in_zip.size(), in_stream);
  const auto file = write(torch_stream(value, {{"0", twelve()}}));
  expect_views(torch_load(file));
  const std::string bytes = read_file(file);
  EXPECT_NE(file_error_of([&] {
              torch_load(write(bytes.substr(0, bytes.size() - 1)));
            }).find("is truncated"),
            std::string::npos);
}

TEST_F(StateFiles, TorchTarFilesFromTheBeginningGiveTensors) {
  const std::string storages =
      whole(number(1)) + whole(tuple({number(7), text("cpu"), global("torch", "FloatStorage")})) +
      bytes_le(12, 8) + twelve();
  const std::string tensors =
      whole(number(1)) + whole(tuple({number(100), number(7), global("torch", "FloatTensor")})) +
      bytes_le(2, 4) + bytes_le(0, 4) + bytes_le(2, 8) + bytes_le(2, 8) + bytes_le(4, 8) +
      bytes_le(1, 8) + bytes_le(5, 8);
  const auto file = write(tar({{"storages", storages},
                               {"tensors", tensors},
                               {"pickle", whole(dict({{text("w"), number(100) + "Q"}}))}}));
  EXPECT_EQ(torch_load(file).at("w").to_vector<int>(), (std::vector<int>{5, 6, 9, 10}));
}

TEST_F(StateFiles, TorchDtypesAreKept) {
  const std::string of_bytes = "(" + text("storage") + global("torch.storage", "UntypedStorage") +
                               text("1") + text("cpu") + number(4) + "tQ";
  const std::string v3 =
      call(global("torch._utils", "_rebuild_tensor_v3"),
           "(" + of_bytes + number(0) + numbers({2}) + numbers({1}) + "\x89" +
               call(global("collections", "OrderedDict"), ")") + global("torch", "uint16") + "}t");
  const std::string on_device = "(" + text("storage") + global("torch.gpu", "HalfStorage") +
                                text("3") + text("gpu:0") + number(2) + "tQ";
  const auto d = torch_load(
      write(torch_zip(dict({{text("bf16"), tensor(storage("BFloat16", "0", 2), 0, {2}, {1})},
                            {text("bool"), tensor(storage("Bool", "2", 1), 0, {1}, {1})},
                            {text("there"), tensor(on_device, 0, {2}, {1})},
                            {text("u16"), v3}}),
                      {{"0", std::string("\x80\x3f\0\xc0", 4)},
                       {"1", std::string("\1\0\xff\xff", 4)},
                       {"2", "\1"},
                       {"3", std::string("\0\x3c\0\xc0", 4)}})));
  EXPECT_EQ(d.at("there").to_vector<float>(), (std::vector<float>{1, -2}));
  EXPECT_EQ(d.at("bf16").dtype(), DType::BFloat16);
  EXPECT_EQ(d.at("bf16").to_vector<float>(), (std::vector<float>{1, -2}));
  EXPECT_EQ(d.at("u16").dtype(), DType::UInt16);
  EXPECT_EQ(d.at("u16").to_vector<int>(), (std::vector<int>{1, 65535}));
  EXPECT_EQ(d.at("bool").dtype(), DType::Bool);
}

TEST_F(StateFiles, WhatStandsAroundTensorsBecomesNamesAndFacts) {
  const std::string t = tensor(storage("Float", "0", 12), 0, {1}, {1});
  const std::string parameter =
      call(global("torch._utils", "_rebuild_parameter"),
           "(" + t + "\x88" + call(global("collections", "OrderedDict"), ")") + "t");
  const std::string ordered = call(global("collections", "OrderedDict"), ")") + "(" + text("w") +
                              parameter + "u}" + text("_metadata") + "}sb";
  const auto f = load_file(write(torch_zip(
      dict({{text("model"), ordered},
            {text("epoch"), number(3)},
            {text("list"), list({t, text("x"), "N"})},
            {text("state"), dict({{number(0), dict({{text("step"), t}})}})},
            {text("size"), call(global("torch", "Size"), tuple({numbers({2, 3})}))},
            {text("device"), call(global("torch", "device"), tuple({text("gpu"), number(1)}))}}),
      {{"0", twelve()}})));
  std::vector<std::string> names;
  for (const auto& [name, tensor] : f.tensors) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"list.0", "model.w", "state.0.step"}));
  EXPECT_EQ(f.facts.at("epoch").as_int(), 3);
  EXPECT_EQ(f.facts.at("list.1").as_text(), "x");
  EXPECT_EQ(f.facts.at("size.1").as_int(), 3);
  EXPECT_EQ(f.facts.at("device").as_text(), "gpu:1");
  EXPECT_EQ(f.facts.size(), 5u);
}

TEST_F(StateFiles, ATensorAloneHasNoName) {
  const auto d = torch_load(
      write(torch_zip(tensor(storage("Float", "0", 12), 2, {1}, {1}), {{"0", twelve()}})));
  EXPECT_EQ(d.at("").item<int>(), 2);
}

TEST_F(StateFiles, NumpyArraysInCheckpointsAreTensors) {
  const std::string type = call(global("numpy", "dtype"), tuple({text("i2"), "\x89", "\x88"})) +
                           tuple({number(3), text(">"), "N", "N", "N", number(-1)}) + "b";
  const std::string array = call(global("numpy.core.multiarray", "_reconstruct"),
                                 tuple({global("numpy", "ndarray"), numbers({0}),
                                        "C\x01"
                                        "b"})) +
                            "(" + number(1) + numbers({2}) + type + "\x89" +
                            std::string("C\x04\0\1\2\3", 6) + "tb";
  const std::string scalar = call(global("numpy._core.multiarray", "scalar"),
                                  "(" + type + std::string("C\x02\xff\xfe", 4) + "t");
  const auto f = load_file(write(torch_zip(dict({{text("a"), array}, {text("s"), scalar}}), {})));
  EXPECT_EQ(f.tensors.at("a").dtype(), DType::Int16);
  EXPECT_EQ(f.tensors.at("a").to_vector<int>(), (std::vector<int>{1, 515}));
  EXPECT_EQ(f.facts.at("s").as_int(), -2);
}

TEST_F(StateFiles, ClassesAndFunctionsThatNoTensorNeedsAreRefusedByName) {
  EXPECT_EQ(torch_error(call(global("posix", "system"), tuple({text("rm -rf /")}))),
            "read_torch: \"F\" names posix.system, which no tensor is made of. Nothing in a file "
            "is run. Hint: {.skip_unknown = true} leaves out what is made by it.");
  EXPECT_NE(torch_error(global("builtins", "eval")).find("builtins.eval"), std::string::npos);
  EXPECT_NE(torch_error(list({global("pathlib", "PosixPath") + "0N"})).find("pathlib.PosixPath"),
            std::string::npos);
  EXPECT_EQ(torch_error(call(global("torch", "float32"), ")")),
            "read_torch: \"F\" calls torch.float32.");
  EXPECT_NE(torch_error(storage("ComplexFloat", "0", 1))
                .find("torch.ComplexFloatStorage, which are "
                      "not read"),
            std::string::npos);
}

TEST_F(StateFiles, UnknownObjectsCanBeLeftOut) {
  const auto file =
      write(torch_zip(dict({{text("config"), call(global("argparse", "Namespace"), ")") + "}b"},
                            {text("w"), tensor(storage("Float", "0", 12), 0, {1}, {1})}}),
                      {{"0", twelve()}}));
  EXPECT_THROW(torch_load(file), FileError);
  EXPECT_EQ(torch_load(file, {.skip_unknown = true}).size(), 1u);
}

TEST_F(StateFiles, TorchViewsOutsideTheirStorageAreRefused) {
  const std::string of = storage("Float", "0", 12);
  const auto error = [&](int offset, const std::vector<int>& sizes,
                         const std::vector<int>& strides) {
    return torch_error(tensor(of, offset, sizes, strides), {{"0", twelve()}});
  };
  EXPECT_EQ(error(0, {13}, {1}),
            "read_torch: \"F\" has a tensor of sizes [13], strides [1] and "
            "offset 0: it reads element 12 of a storage of 12.");
  for (const auto& [offset, sizes, strides] :
       std::vector<std::tuple<int, std::vector<int>, std::vector<int>>>{
           {12, {1}, {1}},
           {0, {2}, {12}},
           {1, {2}, {-1}},
           {0, {-1}, {1}},
           {-1, {1}, {1}},
           {0, {2}, {1, 1}},
           {0, {1 << 30, 1 << 30, 1 << 30}, {1, 1, 1}},
           {0, {1 << 30, 1 << 30, 1 << 30}, {0, 0, 0}}})
    EXPECT_NE(error(offset, sizes, strides), "nothing was thrown") << offset;
}

TEST_F(StateFiles, TorchStoragesThatAreNotThereAreErrors) {
  const std::string t = tensor(storage("Float", "0", 12), 0, {1}, {1});
  EXPECT_EQ(torch_error(t), "read_torch: \"F\" lacks \"model/data/0\".");
  EXPECT_EQ(torch_error(t, {{"0", "1234"}}),
            "read_torch: \"F\" has a storage \"model/data/0\" of 48 "
            "bytes, of which 4 are there.");
}

TEST_F(StateFiles, CyclesAndExplosionsInPicklesEnd) {
  EXPECT_NE(torch_error("]q" + std::string("\0h\0a", 4)).find("deep in one another"),
            std::string::npos);
  // Each list holds the one before twice: 2^60 ways to the innermost.
  std::string bomb = "K\x01";
  for (int i = 0; i < 60; ++i) bomb += "q" + std::string(1, '\1') + "0](h\1h\1e";
  EXPECT_NE(torch_error(bomb).find("holds more than"), std::string::npos);
  // One long text under many names.
  std::string many = "X" + bytes_le(1 << 20, 4) + std::string(1 << 20, 'x') +
                     "q\x01"
                     "0](";
  for (int i = 0; i < 1000; ++i) many += "h\x01";
  EXPECT_NE(torch_error(many + "e").find("names and texts of more than"), std::string::npos);
  // A call that is its own argument.
  EXPECT_NE(torch_error(global("builtins", "set") + "]q" + std::string("\0h\0aR", 5)),
            "nothing was thrown");
}

TEST_F(StateFiles, GgufGivesFactsAndTensors) {
  std::string q8;
  for (int row = 0; row < 2; ++row) {
    q8 += std::string("\0\x34", 2);  // 0.25
    for (int i = -16; i < 16; ++i) q8.push_back(static_cast<char>(i));
  }
  const auto file = write(gguf({{"name", bytes_le(8, 4) + gguf_text("tiny")}},
                               {{"w", {3, 2}, 0, raw<float>({0, 1, 2, 3, 4, 5})},
                                {"b", {2}, 30, std::string("\x80\x3f\0\xc0", 4)},
                                {"q", {32, 2}, 8, q8}}));
  for (const StateFile& f : {gguf_load(file), load_file(file)}) {
    EXPECT_EQ(f.facts.at("name").as_text(), "tiny");
    EXPECT_EQ(f.tensors.at("w").shape(), (Shape{2, 3}));
    EXPECT_EQ(f.tensors.at("w").to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(f.tensors.at("b").dtype(), DType::BFloat16);
    EXPECT_EQ(f.tensors.at("q").shape(), (Shape{2, 32}));
    EXPECT_FLOAT_EQ(f.tensors.at("q").to_vector<float>()[33], -3.75F);
  }
}

TEST_F(StateFiles, GgufModelsInSeveralFilesAreOne) {
  const auto part = [&](int i) {
    return gguf({{"split.count", bytes_le(2, 4) + bytes_le(2, 2)},
                 {"split.no", bytes_le(2, 4) + bytes_le(static_cast<uint64_t>(i), 2)}},
                {{fmt::format("w{}", i), {1}, 0, raw<float>({float(i)})}});
  };
  write(part(0), "m-00001-of-00002.gguf");
  write(part(1), "m-00002-of-00002.gguf");
  const StateFile f = gguf_load(path("m-00001-of-00002.gguf"));
  EXPECT_EQ(f.tensors.at("w1").item<int>(), 1);
  EXPECT_NE(file_error_of([&] {
              gguf_load(path("m-00002-of-00002.gguf"));
            }).find("load that which ends with -00001-of-00002.gguf"),
            std::string::npos);
}

TEST_F(StateFiles, NumpyFilesAreWrittenAndRead) {
  const Tensor t = Tensor::arange(6).reshape({2, 3});
  npy_save(t, path("x.npy"));
  EXPECT_EQ(npy_load(path("x.npy")).shape(), (Shape{2, 3}));
  npz_save({{"a", t}, {"b", Tensor{true, false}}}, path("x.npz"));
  for (const StateDict& d : {npz_load(path("x.npz")), load(path("x.npz"))}) {
    EXPECT_EQ(d.at("a").to_vector<int>(), t.to_vector<int>());
    EXPECT_EQ(d.at("b").dtype(), DType::Bool);
  }
  EXPECT_THROW(npy_save(t.cast(DType::BFloat16), path("y.npy")), DTypeError);
}

TEST_F(StateFiles, FortransOrderIsTurnedRound) {
  const std::string header = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3)}";
  const auto file = write("\x93NUMPY" + std::string("\1\0", 2) + bytes_le(header.size(), 2) +
                          header + raw<int>({0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(npy_load(file).to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST_F(StateFiles, ShardedModelsAreReadByTheirIndex) {
  save({{"a", Tensor{1, 2}}}, path("m-1.safetensors"));
  save({{"b", Tensor{3}}}, path("m-2.safetensors"));
  const auto index = write(R"({"metadata": {"total_size": 12},
    "weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}})",
                           "model.safetensors.index.json");
  for (const StateDict& d : {load_sharded(index), load(index)}) {
    EXPECT_EQ(d.size(), 2u);
    EXPECT_EQ(d.at("b").item<int>(), 3);
  }
}

TEST_F(StateFiles, WrongIndicesAreErrors) {
  save({{"a", Tensor{1, 2}}}, path("m.safetensors"));
  const auto error = [&](const std::string& json) {
    return file_error_of([&] { load_sharded(write(json)); });
  };
  const std::string f = path("f").string();
  EXPECT_EQ(error(R"({"weight_map": {"x": "m.safetensors"}})"),
            "load_sharded: \"" + f + "\" names a tensor \"x\" that \"m.safetensors\" lacks.");
  EXPECT_EQ(error(R"({"weight_map": {"x": "../m.safetensors"}})"),
            "load_sharded: \"" + f + "\" names a file outside its folder: \"../m.safetensors\".");
  EXPECT_EQ(error("{}"), "load_sharded: \"" + f + "\" has no object \"weight_map\".");
  EXPECT_EQ(error("{"), "load_sharded: \"" + f + "\" is not JSON at byte 2.");
  EXPECT_NE(error("{\"a\": " + std::string(500, '[')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error(R"({"weight_map": {"x": "none.safetensors"}})").find("No such file"),
            std::string::npos);
}

TEST_F(StateFiles, HaveNoMetadataThatNobodyGave) {
  save({{"tmp", Tensor::zeros({10, 10})}}, path("m.safetensors"));
  EXPECT_TRUE(load_metadata(path("m.safetensors")).empty());
  // As the format's own library writes it: eight bytes of length, the header, the data.
  EXPECT_EQ(std::filesystem::file_size(path("m.safetensors")), 8u + 64 + 10 * 10 * 4);
}
TEST_F(StateFiles, MetadataTravelWithTensors) {
  save({{"a", Tensor{1}}}, path("m.safetensors"), {{"format", "pt"}, {"who", "ü"}});
  EXPECT_EQ(load_metadata(path("m.safetensors")), (Metadata{{"format", "pt"}, {"who", "ü"}}));
  EXPECT_EQ(load_file(path("m.safetensors")).facts.at("format").as_text(), "pt");
}

TEST_F(StateFiles, AModelIsLoadedFromAFileOfPyTorch) {
  Linear layer(2, 1);
  const std::string of = storage("Float", "0", 12);
  load(layer, write(torch_zip(dict({{text("weight"), tensor(of, 1, {1, 2}, {2, 1})},
                                    {text("bias"), tensor(of, 3, {1}, {1})}}),
                              {{"0", twelve()}})));
  EXPECT_EQ(layer(Tensor::ones({1, 2})).item<int>(), 6);
}

TEST_F(StateFiles, ArchivesGiveBytesByName) {
  const auto zipped = zip_extract(write(zip_bytes({{"a/b", "hi"}, {"c", ""}})));
  EXPECT_EQ(zipped.at("a/b").to_vector<int>(), (std::vector<int>{'h', 'i'}));
  EXPECT_EQ(zipped.at("c").shape(), (Shape{0}));
  for (const std::string& bytes : {tar({{"a", "hi"}}), gzip(tar({{"a", "hi"}}))})
    EXPECT_EQ(tar_extract(write(bytes)).at("a").to_vector<int>(), (std::vector<int>{'h', 'i'}));
}

TEST_F(StateFiles, ArchivesDoNotLeadOutOfTheirFolder) {
  EXPECT_NE(file_error_of([&] {
              zip_extract(write(raw_zip({deflated_member("../a", "x")})));
            }).find("would lie outside its folder"),
            std::string::npos);
  EXPECT_NE(file_error_of([&] {
              tar_extract(write(tar({{"/etc/x", "x"}})));
            }).find("would lie outside its folder"),
            std::string::npos);
  EXPECT_THROW(tar_extract(write(tar({{"a", std::string(1000, 'x')}})), {.max_bytes = 999}),
               FileError);
}

TEST_F(StateFiles, OtherFilesAreErrors) {
  EXPECT_THROW(torch_load(write("hello")), FileError);
  EXPECT_THROW(torch_load(write(zip_bytes({{"a", "b"}}))), FileError);
  EXPECT_THROW(load_file(write("")), FileError);
  EXPECT_THROW(load_file(path("none")), FileError);
  EXPECT_THROW(npz_load(write(zip_bytes({{"a", "b"}}))), FileError);
}

}  // namespace
}  // namespace tg::nn
