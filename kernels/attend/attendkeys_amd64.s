#include "textflag.h"
#include "ask_amd64.h"

// Decoding attention for AVX-512, bound by the memory that holds the cells: with 8
// rows of queries or fewer a block's keys are turned in registers and its values
// widened on the way, since each serves too few products to be written down first.
// Sums have the order of the tiles of attend_amd64.s, and so the same bits. On the way, these
// kernels fetch the values of the same cells, and those of values the keys of the next cells.

// The two halves of 16 rows of 16 halves, rows i and i+8 in one vector, become
// vectors of one dimension each: Z of d has d in its lanes 0 and 2, d+8 in 1 and 3.
// a0 to a7 are the rows, b0 to b7 the result.
#define TURN(a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7) \
	VPUNPCKLWD a1, a0, b0  \
	VPUNPCKHWD a1, a0, b1  \
	VPUNPCKLWD a3, a2, b2  \
	VPUNPCKHWD a3, a2, b3  \
	VPUNPCKLWD a5, a4, b4  \
	VPUNPCKHWD a5, a4, b5  \
	VPUNPCKLWD a7, a6, b6  \
	VPUNPCKHWD a7, a6, b7  \
	VPUNPCKLDQ b2, b0, a0  \
	VPUNPCKHDQ b2, b0, a1  \
	VPUNPCKLDQ b3, b1, a2  \
	VPUNPCKHDQ b3, b1, a3  \
	VPUNPCKLDQ b6, b4, a4  \
	VPUNPCKHDQ b6, b4, a5  \
	VPUNPCKLDQ b7, b5, a6  \
	VPUNPCKHDQ b7, b5, a7  \
	VPUNPCKLQDQ a4, a0, b0 \
	VPUNPCKHQDQ a4, a0, b1 \
	VPUNPCKLQDQ a5, a1, b2 \
	VPUNPCKHQDQ a5, a1, b3 \
	VPUNPCKLQDQ a6, a2, b4 \
	VPUNPCKHQDQ a6, a2, b5 \
	VPUNPCKLQDQ a7, a3, b6 \
	VPUNPCKHQDQ a7, a3, b7 \
	VSHUFI64X2 $0xd8, b0, b0, b0 \
	VSHUFI64X2 $0xd8, b1, b1, b1 \
	VSHUFI64X2 $0xd8, b2, b2, b2 \
	VSHUFI64X2 $0xd8, b3, b3, b3 \
	VSHUFI64X2 $0xd8, b4, b4, b4 \
	VSHUFI64X2 $0xd8, b5, b5, b5 \
	VSHUFI64X2 $0xd8, b6, b6, b6 \
	VSHUFI64X2 $0xd8, b7, b7, b7

// Rows i and i+8 of a group of 16 cells into a vector; R14 has the keys' addresses.
#define LOAD_PAIR(i, y, z) \
	MOVQ (8*(i))(R14), AX     \
	MOVQ (8*(i)+64)(R14), R8  \
	VMOVDQU (AX)(BX*1), y     \
	VINSERTI64X4 $1, (R8)(BX*1), z, z

#define LOAD_GROUP(i) \
	LOAD_PAIR(i, Y0, Z0)   \
	LOAD_PAIR(i+1, Y1, Z1) \
	LOAD_PAIR(i+2, Y2, Z2) \
	LOAD_PAIR(i+3, Y3, Z3) \
	LOAD_PAIR(i+4, Y4, Z4) \
	LOAD_PAIR(i+5, Y5, Z5) \
	LOAD_PAIR(i+6, Y6, Z6) \
	LOAD_PAIR(i+7, Y7, Z7)

#define TURN_FIRST \
	TURN(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)

#define TURN_SECOND \
	TURN(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)

// The upper dimensions of turned vectors move down.
#define UPPER_FIRST \
	VEXTRACTI64X4 $1, Z8, Y8 \
	VEXTRACTI64X4 $1, Z9, Y9 \
	VEXTRACTI64X4 $1, Z10, Y10 \
	VEXTRACTI64X4 $1, Z11, Y11 \
	VEXTRACTI64X4 $1, Z12, Y12 \
	VEXTRACTI64X4 $1, Z13, Y13 \
	VEXTRACTI64X4 $1, Z14, Y14 \
	VEXTRACTI64X4 $1, Z15, Y15

#define UPPER_SECOND \
	VEXTRACTI64X4 $1, Z16, Y16 \
	VEXTRACTI64X4 $1, Z17, Y17 \
	VEXTRACTI64X4 $1, Z18, Y18 \
	VEXTRACTI64X4 $1, Z19, Y19 \
	VEXTRACTI64X4 $1, Z20, Y20 \
	VEXTRACTI64X4 $1, Z21, Y21 \
	VEXTRACTI64X4 $1, Z22, Y22 \
	VEXTRACTI64X4 $1, Z23, Y23

// One dimension of 32 cells against 1, 2 or 4 rows, and of 16 cells against 8.
#define DIMENSION_1(d, y, z) \
	VCVTPH2PS y, Z0 \
	VCVTPH2PS z, Z1 \
	FETCH(d) \
	VFMADD231PS.BCST (4*(d))(SI), Z0, Z24    \
	VFMADD231PS.BCST (4*(d))(SI), Z1, Z25

#define DIMENSION_2(d, y, z) \
	VCVTPH2PS y, Z0 \
	VCVTPH2PS z, Z1 \
	FETCH(d) \
	VFMADD231PS.BCST (4*(d))(SI), Z0, Z24        \
	VFMADD231PS.BCST (4*(d))(SI)(R9*1), Z0, Z25  \
	VFMADD231PS.BCST (4*(d))(SI), Z1, Z26        \
	VFMADD231PS.BCST (4*(d))(SI)(R9*1), Z1, Z27

#define ROWS_4(d, z, a0, a1, a2, a3) \
	VFMADD231PS.BCST (4*(d))(SI), z, a0        \
	VFMADD231PS.BCST (4*(d))(SI)(R9*1), z, a1  \
	VFMADD231PS.BCST (4*(d))(SI)(R9*2), z, a2  \
	VFMADD231PS.BCST (4*(d))(R10), z, a3

#define DIMENSION_4(d, y, z) \
	VCVTPH2PS y, Z0 \
	VCVTPH2PS z, Z1 \
	FETCH(d) \
	ROWS_4(d, Z0, Z24, Z25, Z26, Z27)     \
	ROWS_4(d, Z1, Z28, Z29, Z30, Z31)

#define DIMENSION_8(d, y) \
	VCVTPH2PS y, Z0 \
	ROWS_4(d, Z0, Z24, Z25, Z26, Z27)           \
	VFMADD231PS.BCST (4*(d))(R11), Z0, Z28        \
	VFMADD231PS.BCST (4*(d))(R11)(R9*1), Z0, Z29  \
	VFMADD231PS.BCST (4*(d))(R11)(R9*2), Z0, Z30  \
	VFMADD231PS.BCST (4*(d))(R12), Z0, Z31

// FETCH asks for a piece of a cell's values: DX bytes from the address at R13.
#define FETCH(d) \
	MOVQ (8*(d))(R13), AX \
	ASK((AX)(DX*1))

// A tile is 16 dimensions, half a line: two tiles fetch a line, one of them for the first half of
// the cells. Their addresses are from R14 on; half of them take so many times 32 bytes.
#define AIM(addresses, half)             \
	MOVQ BX, DX                      \
	ANDQ $32, DX                     \
	LEAQ addresses(R14)(DX*half), R13 \
	MOVQ BX, DX                      \
	ANDQ $~63, DX

// The addresses of 8 cells, of the i-th eight at SI; Z1 is how far cells are apart, Z2
// where they begin.
#define ADDRESSES(i, at) \
	VPMOVSXDQ (32*(i))(SI), Z0 \
	VPMULDQ Z1, Z0, Z0         \
	VPADDQ Z2, Z0, Z0          \
	VMOVDQU64 Z0, (at+64*(i))(R14)

#define ADDRESSES_16(at) \
	ADDRESSES(0, at) \
	ADDRESSES(1, at)

#define ADDRESSES_32(at) \
	ADDRESSES_16(at) \
	ADDRESSES(2, at) \
	ADDRESSES(3, at)

// The keys' addresses to R14 and those of the values behind them, then the arguments:
// R9 and its multiples are the rows of queries, at R10 the fourth, at R11 the fifth, at R12
// the eighth.
#define ARGUMENTS(ADDRESS, bytes) \
	VPBROADCASTQ strideBytes+32(FP), Z1 \
	VPBROADCASTQ base+24(FP), Z2 \
	MOVQ cells+16(FP), SI        \
	ADDRESS(0)                   \
	VPBROADCASTQ valueBytes+64(FP), Z1 \
	VPBROADCASTQ values+56(FP), Z2 \
	ADDRESS(bytes)               \
	MOVQ scores+0(FP), DI        \
	MOVQ queries+8(FP), SI       \
	MOVQ dims+40(FP), R15        \
	MOVQ queryBytes+48(FP), R9   \
	LEAQ (SI)(R9*2), R10         \
	ADDQ R9, R10                 \
	LEAQ (SI)(R9*4), R11         \
	LEAQ (R10)(R9*4), R12        \
	XORQ BX, BX                  \
	VPXORD Z24, Z24, Z24         \
	VPXORD Z25, Z25, Z25         \
	VPXORD Z26, Z26, Z26         \
	VPXORD Z27, Z27, Z27         \
	VPXORD Z28, Z28, Z28         \
	VPXORD Z29, Z29, Z29         \
	VPXORD Z30, Z30, Z30         \
	VPXORD Z31, Z31, Z31

#define NEXT_TILE \
	ADDQ $32, BX     \
	ADDQ $64, SI     \
	ADDQ $64, R10    \
	ADDQ $64, R11    \
	ADDQ $64, R12    \
	SUBQ $16, R15    \
	JNE  tile

// func attendKeys1512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, values *uint16, valueBytes int)
//
// The scores of 1 row, blockPositions apart, with 32 cells; dims is a multiple of 16.
TEXT ·attendKeys1512(SB), NOSPLIT, $512-72
	LEAQ keys-512(SP), R14
	ARGUMENTS(ADDRESSES_32, 256)
tile:
	AIM(256, 4)
	LOAD_GROUP(0)
	TURN_FIRST
	LOAD_GROUP(16)
	TURN_SECOND
	DIMENSION_1(0, Y8, Y16)
	DIMENSION_1(1, Y9, Y17)
	DIMENSION_1(2, Y10, Y18)
	DIMENSION_1(3, Y11, Y19)
	DIMENSION_1(4, Y12, Y20)
	DIMENSION_1(5, Y13, Y21)
	DIMENSION_1(6, Y14, Y22)
	DIMENSION_1(7, Y15, Y23)
	UPPER_FIRST
	UPPER_SECOND
	DIMENSION_1(8, Y8, Y16)
	DIMENSION_1(9, Y9, Y17)
	DIMENSION_1(10, Y10, Y18)
	DIMENSION_1(11, Y11, Y19)
	DIMENSION_1(12, Y12, Y20)
	DIMENSION_1(13, Y13, Y21)
	DIMENSION_1(14, Y14, Y22)
	DIMENSION_1(15, Y15, Y23)
	NEXT_TILE
	VMOVUPS Z24, 0(DI)
	VMOVUPS Z25, 64(DI)
	VZEROUPPER
	RET

// func attendKeys2512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, values *uint16, valueBytes int)
//
// The scores of 2 rows, blockPositions apart, with 32 cells; dims is a multiple of 16.
TEXT ·attendKeys2512(SB), NOSPLIT, $512-72
	LEAQ keys-512(SP), R14
	ARGUMENTS(ADDRESSES_32, 256)
tile:
	AIM(256, 4)
	LOAD_GROUP(0)
	TURN_FIRST
	LOAD_GROUP(16)
	TURN_SECOND
	DIMENSION_2(0, Y8, Y16)
	DIMENSION_2(1, Y9, Y17)
	DIMENSION_2(2, Y10, Y18)
	DIMENSION_2(3, Y11, Y19)
	DIMENSION_2(4, Y12, Y20)
	DIMENSION_2(5, Y13, Y21)
	DIMENSION_2(6, Y14, Y22)
	DIMENSION_2(7, Y15, Y23)
	UPPER_FIRST
	UPPER_SECOND
	DIMENSION_2(8, Y8, Y16)
	DIMENSION_2(9, Y9, Y17)
	DIMENSION_2(10, Y10, Y18)
	DIMENSION_2(11, Y11, Y19)
	DIMENSION_2(12, Y12, Y20)
	DIMENSION_2(13, Y13, Y21)
	DIMENSION_2(14, Y14, Y22)
	DIMENSION_2(15, Y15, Y23)
	NEXT_TILE
	VMOVUPS Z24, 0(DI)
	VMOVUPS Z25, 256(DI)
	VMOVUPS Z26, 64(DI)
	VMOVUPS Z27, 320(DI)
	VZEROUPPER
	RET

// func attendKeys4512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, values *uint16, valueBytes int)
//
// The scores of 4 rows, blockPositions apart, with 32 cells; dims is a multiple of 16.
TEXT ·attendKeys4512(SB), NOSPLIT, $512-72
	LEAQ keys-512(SP), R14
	ARGUMENTS(ADDRESSES_32, 256)
tile:
	AIM(256, 4)
	LOAD_GROUP(0)
	TURN_FIRST
	LOAD_GROUP(16)
	TURN_SECOND
	DIMENSION_4(0, Y8, Y16)
	DIMENSION_4(1, Y9, Y17)
	DIMENSION_4(2, Y10, Y18)
	DIMENSION_4(3, Y11, Y19)
	DIMENSION_4(4, Y12, Y20)
	DIMENSION_4(5, Y13, Y21)
	DIMENSION_4(6, Y14, Y22)
	DIMENSION_4(7, Y15, Y23)
	UPPER_FIRST
	UPPER_SECOND
	DIMENSION_4(8, Y8, Y16)
	DIMENSION_4(9, Y9, Y17)
	DIMENSION_4(10, Y10, Y18)
	DIMENSION_4(11, Y11, Y19)
	DIMENSION_4(12, Y12, Y20)
	DIMENSION_4(13, Y13, Y21)
	DIMENSION_4(14, Y14, Y22)
	DIMENSION_4(15, Y15, Y23)
	NEXT_TILE
	VMOVUPS Z24, 0(DI)
	VMOVUPS Z25, 256(DI)
	VMOVUPS Z26, 512(DI)
	VMOVUPS Z27, 768(DI)
	VMOVUPS Z28, 64(DI)
	VMOVUPS Z29, 320(DI)
	VMOVUPS Z30, 576(DI)
	VMOVUPS Z31, 832(DI)
	VZEROUPPER
	RET

// func attendKeys8512(scores, queries *float32, cells *int32, base *uint16, strideBytes, dims, queryBytes int, values *uint16, valueBytes int)
//
// The scores of 8 rows, blockPositions apart, with 16 cells; dims is a multiple of 16.
TEXT ·attendKeys8512(SB), NOSPLIT, $256-72
	LEAQ keys-256(SP), R14
	ARGUMENTS(ADDRESSES_16, 128)
tile:
	AIM(128, 2)
	LOAD_GROUP(0)
	TURN_FIRST
	FETCH(0)
	DIMENSION_8(0, Y8)
	FETCH(1)
	DIMENSION_8(1, Y9)
	FETCH(2)
	DIMENSION_8(2, Y10)
	FETCH(3)
	DIMENSION_8(3, Y11)
	FETCH(4)
	DIMENSION_8(4, Y12)
	FETCH(5)
	DIMENSION_8(5, Y13)
	FETCH(6)
	DIMENSION_8(6, Y14)
	FETCH(7)
	DIMENSION_8(7, Y15)
	UPPER_FIRST
	DIMENSION_8(8, Y8)
	DIMENSION_8(9, Y9)
	DIMENSION_8(10, Y10)
	DIMENSION_8(11, Y11)
	DIMENSION_8(12, Y12)
	DIMENSION_8(13, Y13)
	DIMENSION_8(14, Y14)
	DIMENSION_8(15, Y15)
	NEXT_TILE
	VMOVUPS Z24, 0(DI)
	VMOVUPS Z25, 256(DI)
	VMOVUPS Z26, 512(DI)
	VMOVUPS Z27, 768(DI)
	VMOVUPS Z28, 1024(DI)
	VMOVUPS Z29, 1280(DI)
	VMOVUPS Z30, 1536(DI)
	VMOVUPS Z31, 1792(DI)
	VZEROUPPER
	RET
