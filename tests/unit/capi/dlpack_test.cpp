// Memory that passes between array libraries by DLPack.
#include "capi/dlpack.h"

#include "unit/capi/capi_test_util.h"

namespace tg::capi::testing {
namespace {

TEST_F(CApi, LentTensorShowsTheSameMemory) {
  const tg_tensor t = vector_of({1, 2, 3, 4, 5, 6});
  const std::vector<int64_t> sizes = {2, 3};
  const tg_tensor table = tensor_from("reshape", {tensor_value(t), ints_value(sizes)});
  DLManagedTensorVersioned* lent = nullptr;
  ASSERT_OK(tg_tensor_to_dlpack(table, &lent));
  EXPECT_EQ(lent->version.major, 1u);
  const DLTensor& d = lent->dl_tensor;
  EXPECT_EQ(d.ndim, 2);
  EXPECT_EQ(d.shape[1], 3);
  EXPECT_EQ(d.strides[0], 3);
  EXPECT_EQ(d.dtype.code, 2);
  EXPECT_EQ(d.dtype.bits, 32);
  EXPECT_EQ(static_cast<float*>(d.data)[4], 5);
  void* address = nullptr;
  EXPECT_OK(tg_tensor_host_pointer(t, &address));
  EXPECT_EQ(address, d.data);
  EXPECT_OK(tg_release(t));
  EXPECT_OK(tg_release(table));
  EXPECT_EQ(static_cast<float*>(d.data)[5], 6) << "the consumer keeps it alive";
  lent->deleter(lent);
}

TEST_F(CApi, ConstantsAndTurnedTensorsAreLentAsCopies) {
  const std::vector<int64_t> sizes = {2, 2};
  const tg_tensor t = vector_of({1, 2, 3, 4});
  const tg_tensor square = tensor_from("reshape", {tensor_value(t), ints_value(sizes)});
  const tg_tensor turned = tensor_from("transpose", {tensor_value(square)});
  DLManagedTensorVersioned* lent = nullptr;
  ASSERT_OK(tg_tensor_to_dlpack(turned, &lent));
  EXPECT_EQ(static_cast<float*>(lent->dl_tensor.data)[1], 3);
  lent->deleter(lent);
  for (tg_tensor x : {t, square, turned}) EXPECT_OK(tg_release(x));
}

struct Produced {
  float data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {3, 1};
  int deleted = 0;
  DLManagedTensorVersioned managed = {};

  Produced() {
    managed.version = {1, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<Produced*>(self->manager_ctx)->deleted;
    };
    managed.dl_tensor = {data, {1, 0}, 2, {2, 32, 1}, shape, strides, 0};
  }
};

TEST_F(CApi, RowMajorMemoryIsTakenWithoutACopy) {
  Produced p;
  tg_tensor t = nullptr;
  ASSERT_OK(tg_tensor_from_dlpack(&p.managed, &t));
  p.data[0] = 9;
  EXPECT_EQ(floats_of(t), (std::vector<float>{9, 2, 3, 4, 5, 6}));
  EXPECT_EQ(p.deleted, 0);
  EXPECT_OK(tg_release(t));
  EXPECT_EQ(p.deleted, 1);
}

TEST_F(CApi, StridedMemoryIsCopied) {
  Produced p;
  p.shape[0] = 3;
  p.shape[1] = 2;
  p.strides[0] = 1;
  p.strides[1] = 3;
  tg_tensor t = nullptr;
  ASSERT_OK(tg_tensor_from_dlpack(&p.managed, &t));
  EXPECT_EQ(p.deleted, 1);
  EXPECT_EQ(floats_of(t), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_OK(tg_release(t));
}

TEST_F(CApi, WhatCannotBeTakenStaysTheProducers) {
  tg_tensor t = nullptr;
  const auto refused = [&](auto&& change, tg_status status) {
    Produced p;
    change(p.managed);
    EXPECT_EQ(tg_tensor_from_dlpack(&p.managed, &t), status) << tg_error_message();
    EXPECT_EQ(p.deleted, 0);
  };
  refused([](auto& m) { m.version.major = 2; }, TG_ERROR_ARGUMENT);
  refused([](auto& m) { m.dl_tensor.device.device_type = 2; }, TG_ERROR_DEVICE);
  refused([](auto& m) { m.dl_tensor.dtype = {5, 64, 1}; }, TG_ERROR_DTYPE);
  refused([](auto& m) { m.dl_tensor.dtype.lanes = 4; }, TG_ERROR_DTYPE);
  refused([](auto& m) { m.dl_tensor.ndim = -1; }, TG_ERROR_ARGUMENT);
  refused([](auto& m) { m.dl_tensor.shape = nullptr; }, TG_ERROR_ARGUMENT);
  refused([](auto& m) { m.dl_tensor.shape[0] = -2; }, TG_ERROR_SHAPE);
  EXPECT_EQ(tg_tensor_from_dlpack(nullptr, &t), TG_ERROR_ARGUMENT);
}

}  // namespace
}  // namespace tg::capi::testing
