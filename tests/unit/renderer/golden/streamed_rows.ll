; streamed_rows: 5 chunks, 0 flops, 0 bytes
; %p0: float32[5,24], written
; %p1: float32[5,24]
target triple = "x86_64-unknown-linux-gnu"

define internal void @streamed_rows_body(ptr noalias %p0, ptr noalias readonly %p1, i64 %begin, i64 %end) #0 {
entry:
  %m0 = icmp slt i64 %begin, %end
  br i1 %m0, label %loop0, label %done0
loop0:
  %r0 = phi i64 [ %begin, %entry ], [ %r0.next, %next0 ]
  %v0 = mul i64 %r0, 24
  %to0 = getelementptr float, ptr %p1, i64 %v0
  %x0 = load <16 x float>, ptr %to0, align 4
  %v1 = fadd <16 x float> %x0, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %to1 = getelementptr float, ptr %p0, i64 %v0
  %v2 = ptrtoint ptr %to1 to i64
  %v3 = and i64 %v2, 63
  %m1 = icmp eq i64 %v3, 0
  br i1 %m1, label %stream0, label %keep0
stream0:
  store <16 x float> %v1, ptr %to1, align 64, !nontemporal !0
  br label %next0
keep0:
  store <16 x float> %v1, ptr %to1, align 4
  br label %next0
next0:
  %r0.next = add nuw nsw i64 %r0, 1
  %r0.more = icmp slt i64 %r0.next, %end
  br i1 %r0.more, label %loop0, label %done0, !llvm.loop !1
done0:
  call void @llvm.x86.sse.sfence()
  ret void
}

define void @streamed_rows(ptr %bufs, ptr %vars, i64 %begin, i64 %end, ptr %scratch) #0 {
entry:
  %p0 = load ptr, ptr %bufs, align 8
  %slot1 = getelementptr ptr, ptr %bufs, i64 1
  %p1 = load ptr, ptr %slot1, align 8
  call void @streamed_rows_body(ptr %p0, ptr %p1, i64 %begin, i64 %end)
  ret void
}

declare void @llvm.x86.sse.sfence()

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="256" }

!0 = !{i32 1}

!1 = distinct !{!1, !2, !3}
!2 = !{!"llvm.loop.vectorize.enable", i1 false}
!3 = !{!"llvm.loop.unroll.disable"}
!4 = !{!"llvm.loop.unroll.full"}
