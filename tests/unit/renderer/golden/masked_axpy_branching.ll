; masked_axpy: 3 chunks, 0 flops, 0 bytes
; %p0: float32[21], written
; %p1: float32[21]
; %p2: float32[21]
target triple = "x86_64-unknown-linux-gnu"

define internal void @masked_axpy_body(ptr noalias %p0, ptr noalias readonly %p1, ptr noalias readonly %p2, i64 %begin, i64 %end) #0 {
entry:
  %m0 = icmp slt i64 %begin, %end
  br i1 %m0, label %loop0, label %done0
loop0:
  %r0 = phi i64 [ %begin, %entry ], [ %r0.next, %done3 ]
  %v0 = mul i64 %r0, 8
  %v1 = insertelement <8 x i64> poison, i64 %v0, i64 0
  %v2 = shufflevector <8 x i64> %v1, <8 x i64> poison, <8 x i32> zeroinitializer
  %v3 = add <8 x i64> %v2, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %m1 = icmp slt <8 x i64> %v3, <i64 21, i64 21, i64 21, i64 21, i64 21, i64 21, i64 21, i64 21>
  %v4 = bitcast <8 x i1> %m1 to i8
  %m2 = icmp eq i8 %v4, -1
  br i1 %m2, label %quick0, label %slow0
quick0:
  %to0 = getelementptr float, ptr %p1, i64 %v0
  %x0 = load <8 x float>, ptr %to0, align 4
  br label %done1
slow0:
  %to1 = getelementptr float, ptr %p1, i64 %v0
  %v5 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %to1, i32 4, <8 x i1> %m1, <8 x float> zeroinitializer)
  br label %done1
done1:
  %v6 = phi <8 x float> [ %x0, %quick0 ], [ %v5, %slow0 ]
  %v7 = bitcast <8 x i1> %m1 to i8
  %m3 = icmp eq i8 %v7, -1
  br i1 %m3, label %quick1, label %slow1
quick1:
  %to2 = getelementptr float, ptr %p2, i64 %v0
  %x1 = load <8 x float>, ptr %to2, align 4
  br label %done2
slow1:
  %to3 = getelementptr float, ptr %p2, i64 %v0
  %v8 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %to3, i32 4, <8 x i1> %m1, <8 x float> zeroinitializer)
  br label %done2
done2:
  %v9 = phi <8 x float> [ %x1, %quick1 ], [ %v8, %slow1 ]
  %v10 = fmul <8 x float> %v9, <float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000, float 0x4000000000000000>
  %v11 = fadd <8 x float> %v6, %v10
  %v12 = bitcast <8 x i1> %m1 to i8
  %m4 = icmp eq i8 %v12, -1
  br i1 %m4, label %quick2, label %slow2
quick2:
  %to4 = getelementptr float, ptr %p0, i64 %v0
  store <8 x float> %v11, ptr %to4, align 4
  br label %done3
slow2:
  %to5 = getelementptr float, ptr %p0, i64 %v0
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v11, ptr %to5, i32 4, <8 x i1> %m1)
  br label %done3
done3:
  %r0.next = add nuw nsw i64 %r0, 1
  %r0.more = icmp slt i64 %r0.next, %end
  br i1 %r0.more, label %loop0, label %done0, !llvm.loop !0
done0:
  ret void
}

define void @masked_axpy(ptr %bufs, ptr %vars, i64 %begin, i64 %end, ptr %scratch) #0 {
entry:
  %p0 = load ptr, ptr %bufs, align 8
  %slot1 = getelementptr ptr, ptr %bufs, i64 1
  %p1 = load ptr, ptr %slot1, align 8
  %slot2 = getelementptr ptr, ptr %bufs, i64 2
  %p2 = load ptr, ptr %slot2, align 8
  call void @masked_axpy_body(ptr %p0, ptr %p1, ptr %p2, i64 %begin, i64 %end)
  ret void
}

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="256" }

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.unroll.full"}
