; gather_scatter: 2 chunks, 0 flops, 0 bytes
; %p0: float32[16], written
; %p1: float32[10]
; %p2: int32[16]
; %p3: float32[20], written
target triple = "x86_64-unknown-linux-gnu"

define internal void @gather_scatter_body(ptr noalias %p0, ptr noalias readonly %p1, ptr noalias readonly %p2, ptr noalias %p3, i64 %begin, i64 %end) #0 {
entry:
  %m0 = icmp slt i64 %begin, %end
  br i1 %m0, label %loop0, label %done0
loop0:
  %r0 = phi i64 [ %begin, %entry ], [ %r0.next, %next7 ]
  %v0 = mul i64 %r0, 8
  %to0 = getelementptr i32, ptr %p2, i64 %v0
  %x0 = load <8 x i32>, ptr %to0, align 4
  %v1 = sext <8 x i32> %x0 to <8 x i64>
  %m1 = icmp slt <8 x i32> <i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1>, %x0
  %to1 = getelementptr float, ptr %p1, <8 x i64> %v1
  %v2 = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> %to1, i32 4, <8 x i1> %m1, <8 x float> zeroinitializer)
  %to2 = getelementptr float, ptr %p0, i64 %v0
  store <8 x float> %v2, ptr %to2, align 4
  %v3 = mul i64 %r0, 10
  %v4 = insertelement <8 x i64> poison, i64 %v3, i64 0
  %v5 = shufflevector <8 x i64> %v4, <8 x i64> poison, <8 x i32> zeroinitializer
  %v6 = add <8 x i64> %v1, %v5
  %v7 = extractelement <8 x i64> %v6, i64 0
  %v8 = extractelement <8 x i1> %m1, i64 0
  %v9 = extractelement <8 x float> %v2, i64 0
  br i1 %v8, label %gate0, label %next0
gate0:
  %to3 = getelementptr float, ptr %p3, i64 %v7
  %x1 = load float, ptr %to3, align 4
  %v10 = fadd float %x1, %v9
  %to4 = getelementptr float, ptr %p3, i64 %v7
  store float %v10, ptr %to4, align 4
  br label %next0
next0:
  %v11 = extractelement <8 x i64> %v6, i64 1
  %v12 = extractelement <8 x i1> %m1, i64 1
  %v13 = extractelement <8 x float> %v2, i64 1
  br i1 %v12, label %gate1, label %next1
gate1:
  %to5 = getelementptr float, ptr %p3, i64 %v11
  %x2 = load float, ptr %to5, align 4
  %v14 = fadd float %x2, %v13
  %to6 = getelementptr float, ptr %p3, i64 %v11
  store float %v14, ptr %to6, align 4
  br label %next1
next1:
  %v15 = extractelement <8 x i64> %v6, i64 2
  %v16 = extractelement <8 x i1> %m1, i64 2
  %v17 = extractelement <8 x float> %v2, i64 2
  br i1 %v16, label %gate2, label %next2
gate2:
  %to7 = getelementptr float, ptr %p3, i64 %v15
  %x3 = load float, ptr %to7, align 4
  %v18 = fadd float %x3, %v17
  %to8 = getelementptr float, ptr %p3, i64 %v15
  store float %v18, ptr %to8, align 4
  br label %next2
next2:
  %v19 = extractelement <8 x i64> %v6, i64 3
  %v20 = extractelement <8 x i1> %m1, i64 3
  %v21 = extractelement <8 x float> %v2, i64 3
  br i1 %v20, label %gate3, label %next3
gate3:
  %to9 = getelementptr float, ptr %p3, i64 %v19
  %x4 = load float, ptr %to9, align 4
  %v22 = fadd float %x4, %v21
  %to10 = getelementptr float, ptr %p3, i64 %v19
  store float %v22, ptr %to10, align 4
  br label %next3
next3:
  %v23 = extractelement <8 x i64> %v6, i64 4
  %v24 = extractelement <8 x i1> %m1, i64 4
  %v25 = extractelement <8 x float> %v2, i64 4
  br i1 %v24, label %gate4, label %next4
gate4:
  %to11 = getelementptr float, ptr %p3, i64 %v23
  %x5 = load float, ptr %to11, align 4
  %v26 = fadd float %x5, %v25
  %to12 = getelementptr float, ptr %p3, i64 %v23
  store float %v26, ptr %to12, align 4
  br label %next4
next4:
  %v27 = extractelement <8 x i64> %v6, i64 5
  %v28 = extractelement <8 x i1> %m1, i64 5
  %v29 = extractelement <8 x float> %v2, i64 5
  br i1 %v28, label %gate5, label %next5
gate5:
  %to13 = getelementptr float, ptr %p3, i64 %v27
  %x6 = load float, ptr %to13, align 4
  %v30 = fadd float %x6, %v29
  %to14 = getelementptr float, ptr %p3, i64 %v27
  store float %v30, ptr %to14, align 4
  br label %next5
next5:
  %v31 = extractelement <8 x i64> %v6, i64 6
  %v32 = extractelement <8 x i1> %m1, i64 6
  %v33 = extractelement <8 x float> %v2, i64 6
  br i1 %v32, label %gate6, label %next6
gate6:
  %to15 = getelementptr float, ptr %p3, i64 %v31
  %x7 = load float, ptr %to15, align 4
  %v34 = fadd float %x7, %v33
  %to16 = getelementptr float, ptr %p3, i64 %v31
  store float %v34, ptr %to16, align 4
  br label %next6
next6:
  %v35 = extractelement <8 x i64> %v6, i64 7
  %v36 = extractelement <8 x i1> %m1, i64 7
  %v37 = extractelement <8 x float> %v2, i64 7
  br i1 %v36, label %gate7, label %next7
gate7:
  %to17 = getelementptr float, ptr %p3, i64 %v35
  %x8 = load float, ptr %to17, align 4
  %v38 = fadd float %x8, %v37
  %to18 = getelementptr float, ptr %p3, i64 %v35
  store float %v38, ptr %to18, align 4
  br label %next7
next7:
  %r0.next = add nuw nsw i64 %r0, 1
  %r0.more = icmp slt i64 %r0.next, %end
  br i1 %r0.more, label %loop0, label %done0, !llvm.loop !0
done0:
  ret void
}

define void @gather_scatter(ptr %bufs, ptr %vars, i64 %begin, i64 %end, ptr %scratch) #0 {
entry:
  %p0 = load ptr, ptr %bufs, align 8
  %slot1 = getelementptr ptr, ptr %bufs, i64 1
  %p1 = load ptr, ptr %slot1, align 8
  %slot2 = getelementptr ptr, ptr %bufs, i64 2
  %p2 = load ptr, ptr %slot2, align 8
  %slot3 = getelementptr ptr, ptr %bufs, i64 3
  %p3 = load ptr, ptr %slot3, align 8
  call void @gather_scatter_body(ptr %p0, ptr %p1, ptr %p2, ptr %p3, i64 %begin, i64 %end)
  ret void
}

declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, i32, <8 x i1>, <8 x float>)

attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="256" }

!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.unroll.full"}
