// Memory that is shared and not copied: C's as a tensor, a tensor's elements in place, and DLPack.

package tg

/*
#include <stddef.h>
#include "shim.h"

// As dlpack.h declares them: the parts that are read here, which later versions only add to.
typedef struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
} tg_go_dlpack;

static inline tg_status tg_go_to_dlpack(tg_go t, void** out) {
  tg_go_dlpack* made = NULL;
  const tg_status status = tg_tensor_to_dlpack((tg_tensor)t, &made);
  if (status == TG_OK) *out = made;
  return status;
}
static inline tg_status tg_go_from_dlpack(void* managed, tg_go* out) {
  TG_GO_MAKE(tg_tensor, tg_tensor_from_dlpack((tg_go_dlpack*)managed, &made));
}
static inline tg_status tg_go_from_dlpack_unversioned(void* managed, tg_go* out) {
  TG_GO_MAKE(tg_tensor,
             tg_tensor_from_dlpack_unversioned((struct DLManagedTensor*)managed, &made));
}
static inline void tg_go_delete_dlpack(void* managed) {
  tg_go_dlpack* const m = (tg_go_dlpack*)managed;
  if (m->deleter != NULL) m->deleter(m);
}
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// Wrap makes a tensor on memory that is not Go's: C's, or a file mapped by syscall.Mmap. Nothing is
// copied, and writes are seen on both sides. The memory must stay where it is until release (which may
// be nil) is called: once, when nobody reads it any more, on whatever thread that is, and also if this
// call fails. Lives on the CPU device. ShapeError unless the elements fill the shape. Memory of Go's
// collector must not be given: C keeps the address. FromSlice copies it.
func Wrap[T Element](memory []T, release func(), shape ...int64) (*Tensor, error) {
	var element T
	var data unsafe.Pointer
	if len(memory) > 0 {
		data = unsafe.Pointer(&memory[0])
	}
	bytes := C.size_t(len(memory)) * C.size_t(unsafe.Sizeof(element))
	return wrapMemory(data, bytes, dtypeOf[T](), shape, release)
}

func wrapMemory(data unsafe.Pointer, bytes C.size_t, dtype DType, shape []int64, release func()) (*Tensor, error) {
	user := C.tg_go(cgo.NewHandle(release))
	o, err := made(func(out *C.tg_go) C.tg_status {
		return C.tg_go_wrap(data, bytes, C.tg_dtype(dtype), sizesForC(shape), C.size_t(len(shape)), user, out)
	})
	if err != nil {
		return nil, err
	}
	return &Tensor{o}, nil
}

func sizesForC(shape []int64) *C.int64_t {
	if len(shape) == 0 {
		return nil
	}
	return (*C.int64_t)(unsafe.Pointer(&shape[0]))
}

// View computes the tensor and gives its elements where they are, row-major; nil if the host cannot
// reach them. Valid until the tensor is released or collected (runtime.KeepAlive) or something is
// assigned to it. DtypeError unless they are T.
func View[T Element](t *Tensor) ([]T, error) {
	n, err := countOf[T](t, "view")
	if err != nil || n == 0 {
		return nil, err
	}
	var data unsafe.Pointer
	err = check(func() C.tg_status { return C.tg_go_host_pointer(t.handle(), &data) })
	runtime.KeepAlive(t)
	if err != nil || data == nil {
		return nil, err
	}
	return unsafe.Slice((*T)(data), n), nil
}

// The number of elements, if they are T.
func countOf[T Element](t *Tensor, function string) (int64, error) {
	dtype, err := t.Dtype()
	if err != nil {
		return 0, err
	}
	if dtype != dtypeOf[T]() {
		problem := "%s: the elements are of dtype %d, not %d. Hint: cast first."
		return 0, &Error{DtypeError, fmt.Sprintf(problem, function, dtype, dtypeOf[T]())}
	}
	return t.Numel()
}

// Alias is another name of the same value: what is assigned through one is seen through both, while
// Replace changes one name only.
func (t *Tensor) Alias() (*Tensor, error) {
	o, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_alias(t.handle(), out) })
	runtime.KeepAlive(t)
	if err != nil {
		return nil, err
	}
	return &Tensor{o}, nil
}

// DLPack is a tensor on its way to another library: its holder owns it. What is not handed on is
// given back by the collector, or at once by Release.
type DLPack struct{ managed unsafe.Pointer }

// DLPackFrom takes over what another library lends: a DLManagedTensorVersioned of DLPack 1.x.
func DLPackFrom(managed unsafe.Pointer) *DLPack {
	d := &DLPack{managed}
	runtime.SetFinalizer(d, (*DLPack).Release)
	return d
}

// Take gives the DLManagedTensorVersioned to another library, which calls its deleter; nil if it was
// handed on before.
func (d *DLPack) Take() unsafe.Pointer {
	managed := d.managed
	d.managed = nil
	runtime.SetFinalizer(d, nil)
	return managed
}

// Release gives it back now.
func (d *DLPack) Release() {
	if managed := d.Take(); managed != nil {
		C.tg_go_delete_dlpack(managed)
	}
}

// ToDLPack computes the tensor and lends its memory, without a copy where the host can reach it.
func (t *Tensor) ToDLPack() (*DLPack, error) {
	var managed unsafe.Pointer
	err := check(func() C.tg_status { return C.tg_go_to_dlpack(t.handle(), &managed) })
	runtime.KeepAlive(t)
	if err != nil {
		return nil, err
	}
	return DLPackFrom(managed), nil
}

// FromDLPack is a tensor on the memory of another library's: what is row-major and on the host is not
// copied. The tensor owns d's memory then, unless this fails.
func FromDLPack(d *DLPack) (*Tensor, error) {
	o, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_from_dlpack(d.managed, out) })
	if err != nil {
		runtime.KeepAlive(d)
		return nil, err
	}
	d.Take()
	return &Tensor{o}, nil
}

// FromDLPackUnversioned is the same for a DLManagedTensor of producers before DLPack 1.0.
func FromDLPackUnversioned(managed unsafe.Pointer) (*Tensor, error) {
	o, err := made(func(out *C.tg_go) C.tg_status { return C.tg_go_from_dlpack_unversioned(managed, out) })
	if err != nil {
		return nil, err
	}
	return &Tensor{o}, nil
}
