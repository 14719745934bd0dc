// Tables of products: in every order of their axes, and with operands that are views of something
// else. What a line says: row.h.
#include "row.h"

namespace tg::cliffs {

// Tables are read in columns.
// clang-format off

Group contractions() {
  const std::vector<DType> all = {f32, f64, f16, bf16, i8, i32, fp8}, few = {f32, bf16, i8};
  return {"contractions", {
    {"mk,kn->mn",       all,   "m512 k512 n512",          2, nullptr},
    {"mk,nk->mn",       all,   "m512 k512 n512",          2, nullptr},
    {"km,kn->mn",       few,   "m512 k512 n512",          2, nullptr},
    {"km,nk->mn",       few,   "m512 k512 n512",          2, nullptr},
    {"mk,kn->nm",       {f32}, "m512 k512 n512",          2, nullptr},
    {"km,kn->nm",       {f32}, "m512 k512 n512",          2, nullptr},
    {"mk,nk->nm",       {f32}, "m509 k521 n503",          2, nullptr},
    {"pq,qr->pr",       few,   "p4096 q64 r512",          2, nullptr},
    {"xy,yz->xz",       few,   "x64 y4096 z512",          2, nullptr},
    {"uv,vw->uw",       {f32}, "u4096 v512 w32",          2, nullptr},
    {"ef,fg->eg",       {f32}, "e4096 f2048 g7",          2, nullptr},
    {"bmk,bkn->bmn",    all,   "b32 m128 k128 n256",      2, nullptr},
    {"bmk,bnk->bmn",    few,   "b32 m128 k128 n256",      2, nullptr},
    {"mbk,kbn->mbn",    few,   "b32 m128 k128 n256",      2, nullptr},
    {"mbk,nbk->bmn",    {f32}, "b32 m128 k128 n256",      2, nullptr},
    {"bkm,bkn->mnb",    {f32}, "b32 m128 k128 n256",      2, nullptr},
    {"mkb,knb->mnb",    {f32}, "b32 m128 k128 n256",      2, nullptr},
    {"bmk,kn->bmn",     few,   "b16 m64 k512 n512",       2, nullptr},
    {"mbk,kn->bmn",     {f32}, "b16 m64 k512 n512",       2, nullptr},
    {"bmk,kn->nmb",     {f32}, "b16 m64 k512 n512",       2, nullptr},
    {"mk,bkn->bmn",     {f32}, "b16 m512 k512 n64",       2, nullptr},
    {"bmk,bkn->mn",     few,   "b16 m256 k64 n512",       2, nullptr},
    {"mbk,nkb->mn",     {f32}, "b16 m256 k64 n512",       2, nullptr},
    {"mjk,jkn->mn",     {f32}, "m512 j8 k64 n512",        2, nullptr},
    {"jmk,njk->mn",     {f32}, "m512 j8 k64 n512",        2, nullptr},
    {"bhik,bhjk->bhij", few,   "b4 h8 i128 j128 k128",    2, nullptr},
    {"bihk,bjhk->bhij", {f32}, "b4 h8 i128 j128 k128",    2, nullptr},
    {"bihk,bjhk->ijbh", {f32}, "b4 h8 i128 j128 k128",    2, nullptr},
    {"ihbk,jkhb->bijh", {f32}, "b4 h8 i128 j128 k128",    2, nullptr},
    {"bhij,bjhk->bihk", few,   "b4 h8 i128 j128 k128",    2, nullptr},
    {"abcd,cdef->abef", {f32}, "a16 b32 c16 d32 e16 f32", 2, nullptr},
    {"acbd,dfce->abef", {f32}, "a16 b32 c16 d32 e16 f32", 2, nullptr},
    {"cadb,ecfd->feba", {f32}, "a16 b32 c16 d32 e16 f32", 2, nullptr},
    {"abcde,dce->ab",   {f32}, "a64 b64 c16 d16 e16",     2, nullptr},
    {"edcba,ba->cde",   {f32}, "a64 b64 c16 d16 e16",     2, nullptr},
    {"abcd,de->abce",   {f32}, "a16 b16 c16 d256 e128",   2, nullptr},
    {"abcd,ce->abed",   {f32}, "a16 b16 c256 d16 e128",   2, nullptr},
    {"abcd,be->aecd",   {f32}, "a16 b256 c16 d16 e128",   2, nullptr},
    {"abcd,ae->ebcd",   {f32}, "a256 b16 c16 d16 e128",   2, nullptr},
    {"mk,k->m",         all,   "m8192 k2048",             2, nullptr},
    {"km,k->m",         few,   "m2048 k8192",             2, nullptr},
    {"bmk,bk->bm",      {f32}, "b64 m512 k512",           2, nullptr},
    {"bk,bk->b",        {f32}, "b8192 k1024",             2, nullptr},
    {"kb,kb->b",        {f32}, "b8192 k1024",             2, nullptr},
    {"m,n->mn",         {f32}, "m4096 n4096",             1, nullptr},
    {"bm,bn->bmn",      {f32}, "b64 m512 n512",           1, nullptr},
    {"mk,mk->",         {f32}, "m4096 k4096",             2, nullptr},
    {"ij,jk,ki->",      {f32}, "i512 j512 k512",          2, nullptr},
    {"bki,bkj->ij",     {f32}, "b16 k512 i128 j128",      2, nullptr},
  }, true};
}

Group operands() {
  const std::vector<DType> few = {f32, bf16, i8};
  return {"operands", {
    {"merged heads",          few,   "b8 t128 h8 d64 n256",      2, [](Inputs& in) { return wide(in("bhtd").permute({0, 2, 1, 3}).reshape(in["bt(hd)"])).matmul(wide(in("(hd)n"))); }},
    {"split heads",           few,   "b8 t128 h8 d64 k256",      2, [](Inputs& in) { return wide(in("btk")).matmul(wide(in("k(hd)"))).reshape(in["bthd"]).permute({0, 2, 1, 3}).contiguous(); }},
    {"merged rows",           {f32}, "b16 t64 k512 n512",        2, [](Inputs& in) { return in("tbk").permute({1, 0, 2}).reshape(in["(bt)k"]).matmul(in("kn")); }},
    {"merged columns",        {f32}, "m512 k512 a16 b32",        2, [](Inputs& in) { return in("mk").matmul(in("kba").permute({0, 2, 1}).reshape(in["k(ab)"])); }},
    {"merged k of both",      {f32}, "m512 a16 b32 n512",        2, [](Inputs& in) { return in("bma").permute({1, 2, 0}).reshape(in["m(ab)"]).matmul(in("ban").permute({1, 0, 2}).reshape(in["(ab)n"])); }},
    {"transposed batch",      few,   "b32 m128 k128 n256",       2, [](Inputs& in) { return wide(in("mbk")).permute({1, 0, 2}).matmul(wide(in("bnk")).transpose(1, 2)); }},
    {"every second row",      few,   "m512 k512 n512",           2, [](Inputs& in) { return wide(in("(2m)k")[Slice({}, {}, 2)]).matmul(wide(in("kn"))); }, 0.7},
    {"every second term",     {f32}, "m512 k512 n512",           2, [](Inputs& in) { return in("m(2k)")[{Slice(), Slice({}, {}, 2)}].matmul(in("kn")); }},
    {"every third column",    {f32}, "m512 k512 n512",           2, [](Inputs& in) { return in("mk").matmul(in("k(3n)")[{Slice(), Slice({}, {}, 3)}]); }},
    {"a window of a matrix",  few,   "m500 k500 n500",           2, [](Inputs& in) { return wide(in("(m+9)(k+9)").shrink({{3, 3 + in['m']}, {5, 5 + in['k']}})).matmul(wide(in("kn"))); }},
    {"flipped rows",          {f32}, "m512 k512 n512",           2, [](Inputs& in) { return in("mk").flip(0).matmul(in("kn")); }},
    {"flipped terms",         {f32}, "m512 k512 n512",           2, [](Inputs& in) { return in("mk").flip(1).matmul(in("kn").flip(0)); }},
    {"padded rows and terms", few,   "m512 k512 n512",           2, [](Inputs& in) { return wide(in("mk").pad({{3, 5}, {2, 6}})).matmul(wide(in("(k+8)n"))); }},
    {"rolled rows",           {f32}, "m512 k512 n512",           2, [](Inputs& in) { return in("mk").roll(3).matmul(in("kn")); }},
    {"lower triangle",        {f32}, "m512 k512 n512",           1, [](Inputs& in) { return in("mk").tril().matmul(in("kn")); }},
    {"joined terms",          {f32}, "m512 k256 n512",           4, [](Inputs& in) { return Tensor::cat({in("mk"), in("mk")}, 1).matmul(in("(2k)n")); }},
    {"joined rows",           {f32}, "m256 k512 n512",           4, [](Inputs& in) { return Tensor::cat({in("mk"), in("mk")}).matmul(in("kn")); }},
    {"joined columns",        {f32}, "m512 k512 n256",           4, [](Inputs& in) { return in("mk").matmul(Tensor::cat({in("kn"), in("kn")}, 1)); }},
    {"broadcast heads",       few,   "b2 g4 r4 t256 s256 d64",   2, [](Inputs& in) { return wide(in("b(gr)td")).matmul(wide(in("bg1sd").expand(in["bgrsd"]).reshape(in["b(gr)sd"])).transpose(2, 3)); }},
    {"broadcast batch",       {f32}, "b16 m64 k512 n512",        2, [](Inputs& in) { return in("bmk").matmul(in("1kn")); }},
    {"broadcast term",        {f32}, "m512 k512 n512",           2, [](Inputs& in) { return (in("m1") + in("1k")).matmul(in("kn")); }},
    {"repeated rows",         {f32}, "m256 k512 n512",           4, [](Inputs& in) { return in("mk").repeat({2, 1}).matmul(in("kn")); }},
    {"picked rows",           few,   "m512 k512 n512",           2, [](Inputs& in) { return wide(in("mk")[in.places("m", in['m'])]).matmul(wide(in("kn"))); }},
    {"picked weights",        {f32}, "b64 m64 k128 n256",        2, [](Inputs& in) { return in("bmk").matmul(in("8kn")[in.places("b", 8)]); }},
    {"patches of an image",   few,   "n8 c3 h14 w14 p8 q8 o192", 8, [](Inputs& in) { return wide(in("nc(2hp)(2wq)").reshape(in["nch(2p)w(2q)"]).permute({0, 2, 4, 1, 3, 5}).reshape(in["n(hw)(c2p2q)"])).matmul(wide(in("(c2p2q)o"))); }},
    {"shifted windows",       {f32}, "n4 h8 w8 p8 q8 c96 o96",   2, [](Inputs& in) { return in("n(hp)(wq)c").roll(4, 1).roll(4, 2).reshape(in["nhpwqc"]).permute({0, 1, 3, 2, 4, 5}).reshape(in["(nhw)(pq)c"]).matmul(in("co")); }},
    {"pixels to channels",    {f32}, "n8 c32 h28 w28 o256",      8, [](Inputs& in) { return in("nc(2h)(2w)").reshape(in["nch2w2"]).permute({0, 2, 4, 1, 3, 5}).reshape(in["n(hw)(c4)"]).matmul(in("(c4)o")); }},
  }, true};
}

// clang-format on

}  // namespace tg::cliffs
