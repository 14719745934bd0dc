// Memory that is shared and not copied: wrapped, lent by DLPack, looked at in place.

package tg

import (
	"syscall"
	"testing"
	"unsafe"
)

// Memory that is not Go's, with these elements; release counts and gives it back.
func mapped(t *testing.T, values ...float32) (memory []float32, released *int, release func()) {
	bytes, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	memory = unsafe.Slice((*float32)(unsafe.Pointer(&bytes[0])), len(values))
	copy(memory, values)
	released = new(int)
	return memory, released, func() {
		*released++
		syscall.Munmap(bytes)
	}
}

func TestMemoryBecomesATensorWhereItLies(t *testing.T) {
	memory, released, release := mapped(t, 1, 2, 3, 4)
	x := must(Wrap(memory, release, 2, 2))
	expect(t, must(x.Shape()), []int64{2, 2})
	expect(t, &must(View[float32](x))[0], &memory[0])
	memory[1] = 7
	expect(t, must(Read[float32](x)), []float32{1, 7, 3, 4})
	lazy := must(x.Add(1))
	x.Release()
	expect(t, *released, 0)
	expect(t, must(Read[float32](lazy)), []float32{2, 8, 4, 5})
	lazy.Release()
	expect(t, *released, 1)
}

func TestMemoryIsReleasedIfWrappingFails(t *testing.T) {
	memory, released, release := mapped(t, 1, 2, 3)
	_, err := Wrap(memory, release, 2, 2)
	expectError(t, err, ShapeError, "")
	expect(t, *released, 1)
}

func TestAPanicOfAReleaseDoesNoHarm(t *testing.T) {
	memory, released, release := mapped(t, 1)
	x := must(Wrap(memory, func() { release(); panic("of the test") }, 1))
	x.Release()
	expect(t, *released, 1)
}

func TestAssignmentsAreSeenInPlaceAndThroughAnAlias(t *testing.T) {
	memory, _, release := mapped(t, 1, 2)
	x := must(Wrap(memory, release, 2))
	same := must(x.Alias())
	must(x.Assign(numbers(8, 9)))
	must(x.Realize())
	expect(t, must(Read[float32](same)), []float32{8, 9})
	expect(t, must(View[float32](x)), []float32{8, 9})
}

func TestAViewOfOtherElementsIsADtypeError(t *testing.T) {
	_, err := View[int32](numbers(1))
	expectError(t, err, DtypeError, "view: ")
}

func TestATensorPassesByDLPackAndBackWithoutACopy(t *testing.T) {
	x := must(FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3))
	address := &must(View[int32](x))[0]
	lent := must(x.ToDLPack())
	x.Release()
	back := must(FromDLPack(lent))
	expect(t, must(back.Shape()), []int64{2, 3})
	expect(t, &must(View[int32](back))[0], address)
	expect(t, must(Read[int32](back)), []int32{1, 2, 3, 4, 5, 6})
}

func TestWhatWasHandedOnIsGone(t *testing.T) {
	before := LiveHandles()
	x := numbers(1, 2)
	lent := must(x.ToDLPack())
	taken := lent.Take()
	expect(t, lent.Take(), nil)
	DLPackFrom(taken).Release()
	lent.Release()
	_, err := FromDLPack(lent)
	expectError(t, err, ArgumentError, "null")
	x.Release()
	expect(t, LiveHandles(), before)
}
