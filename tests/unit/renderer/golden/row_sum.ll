; row_sum: 4 chunks, 0 flops, 0 bytes
; %p1: float32[4,64]
; %p0: float32[4], written
target triple = "x86_64-unknown-linux-gnu"

define internal void @row_sum_body(ptr noalias %p0, ptr noalias readonly %p1, i64 %begin, i64 %end) #0 {
entry:
  %m0 = icmp slt i64 %begin, %end
  br i1 %m0, label %loop0, label %done0
loop0:
  %r0 = phi i64 [ %begin, %entry ], [ %r0.next, %done1 ]
  br label %loop1
loop1:
  %r1 = phi i64 [ 0, %loop0 ], [ %r1.next, %loop1 ]
  %acc0 = phi <8 x float> [ zeroinitializer, %loop0 ], [ %v3, %loop1 ]
  %v0 = mul i64 %r0, 64
  %v1 = mul i64 %r1, 8
  %v2 = add i64 %v0, %v1
  %to0 = getelementptr float, ptr %p1, i64 %v2
  %x0 = load <8 x float>, ptr %to0, align 32
  %v3 = fadd <8 x float> %acc0, %x0
  %r1.next = add nuw nsw i64 %r1, 1
  %r1.more = icmp slt i64 %r1.next, 8
  br i1 %r1.more, label %loop1, label %done1, !llvm.loop !0
done1:
  %v4 = shufflevector <8 x float> %v3, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %v5 = shufflevector <8 x float> %v3, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %v6 = fadd <4 x float> %v4, %v5
  %v7 = shufflevector <4 x float> %v6, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %v8 = shufflevector <4 x float> %v6, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %v9 = fadd <2 x float> %v7, %v8
  %v10 = extractelement <2 x float> %v9, i64 0
  %v11 = extractelement <2 x float> %v9, i64 1
  %v12 = fadd float %v10, %v11
  %to1 = getelementptr float, ptr %p0, i64 %r0
  store float %v12, ptr %to1, align 4
  %r0.next = add nuw nsw i64 %r0, 1
  %r0.more = icmp slt i64 %r0.next, %end
  br i1 %r0.more, label %loop0, label %done0, !llvm.loop !1
done0:
  ret void
}

define void @row_sum(ptr %bufs, ptr %vars, i64 %begin, i64 %end, ptr %scratch) #0 {
entry:
  %p0 = load ptr, ptr %bufs, align 8
  %slot1 = getelementptr ptr, ptr %bufs, i64 1
  %p1 = load ptr, ptr %slot1, align 8
  call void @row_sum_body(ptr %p0, ptr %p1, i64 %begin, i64 %end)
  ret void
}

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="256" }

!0 = distinct !{!0, !2, !4}
!1 = distinct !{!1, !2, !3}
!2 = !{!"llvm.loop.vectorize.enable", i1 false}
!3 = !{!"llvm.loop.unroll.disable"}
!4 = !{!"llvm.loop.unroll.full"}
