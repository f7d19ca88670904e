#include "product_amd64.h"

// What the kernels of matrix products share. A kernel multiplies one panel (two
// halves of 16 rows) with 1 to 6 input rows; input row i has the registers
//
//	R8+i        where its prepared values are
//	Z(2i)       integer sums of its products with the first half
//	Z(2i+1)     of the second half
//	Z(12+2i)    second accumulators, first half
//	Z(13+2i)    second half
//
// SI is the panel, CX counts blocks, DI is the product, BX and DX are AHEAD's. ROWSn(M, o) applies the macro
// M to the registers of n input rows: M(o, place in product.x, pointer, first,
// second, first other, second other).
#define ROWS1(M, o) M(o, 0, R8, Z0, Z1, Z12, Z13)
#define ROWS2(M, o) ROWS1(M, o); M(o, 8, R9, Z2, Z3, Z14, Z15)
#define ROWS3(M, o) ROWS2(M, o); M(o, 16, R10, Z4, Z5, Z16, Z17)
#define ROWS4(M, o) ROWS3(M, o); M(o, 24, R11, Z6, Z7, Z18, Z19)
#define ROWS5(M, o) ROWS4(M, o); M(o, 32, R12, Z8, Z9, Z20, Z21)
#define ROWS6(M, o) ROWS5(M, o); M(o, 40, R13, Z10, Z11, Z22, Z23)

// LOAD fetches an input row's pointer and clears its second accumulators.
#define LOAD(o, i, P, A, B, C, D)   \
	MOVQ   (product_x+i)(DI), P \
	VPXORD C, C, C              \
	VPXORD D, D, D

// STORE writes second accumulators where the panel has rows: K1, K2.
#define STORE(o, i, P, A, B, C, D) \
	RESULTS(i)                 \
	VMOVUPS C, K1, (AX)        \
	VMOVUPS D, K2, 64(AX)

// SETUP is what all kernels begin with.
#define SETUP                           \
	MOVQ  p+0(FP), DI               \
	MOVQ  product_w(DI), SI         \
	MOVQ  product_blocks(DI), CX    \
	MOVQ  product_ahead(DI), BX     \
	MOVQ  product_aheadStep(DI), DX \
	MOVL  product_mask(DI), AX      \
	KMOVW AX, K1                    \
	SHRL  $16, AX                   \
	KMOVW AX, K2

// BEGIN sets up what the bodies for 1 to 6 rows share. Of many rows it has the processor get hold of
// where the results go: a store that waits for its line holds up what comes after it. Where few
// rows share a panel, memory is the bound, and has enough to do.
#define BEGIN                           \
	SETUP                           \
	CMPB product_few(DI), $0        \
	JNE  ready                      \
	MOVQ product_rows(DI), R9       \
	MOVQ product_out(DI), R8        \
want:                                   \
	PREFETCHWR8                     \
	ADDQ product_outStep(DI), R8    \
	DECQ R9                         \
	JNZ  want                       \
ready:

// PREFETCHWR8 is PREFETCHW (R8) and PREFETCHW 64(R8), which the assembler does not know.
#define PREFETCHWR8                                    \
	BYTE $0x41; BYTE $0x0f; BYTE $0x0d; BYTE $0x08 \
	BYTE $0x41; BYTE $0x0f; BYTE $0x0d; BYTE $0x48; BYTE $0x40

// AHEAD goes one step on in fetching the next panel, so that reading memory and
// arithmetic overlap.
#define AHEAD           \
	PREFETCHT0 (BX) \
	ADDQ       DX, BX

// AHEADL2 is AHEAD for processors with kernels.PrefetchesToL2.
#define AHEADL2         \
	PREFETCHT1 (BX) \
	ADDQ       DX, BX

// CHOOSE jumps to the body for the number of rows.
#define CHOOSE                    \
	MOVQ product_rows(DI), AX \
	CMPQ AX, $2               \
	JB   one                  \
	JEQ  two                  \
	CMPQ AX, $4               \
	JB   three                \
	JEQ  four                 \
	CMPQ AX, $6               \
	JB   five                 \
	JMP  six

// BODIES is a kernel's bodies for 1 to 6 rows, with labels for those that need them.
#define BODIES(BODY)                            \
	CHOOSE                                  \
one:                                            \
	BODY(block1, half1, part1, ROWS1)       \
two:                                            \
	BODY(block2, half2, part2, ROWS2)       \
three:                                          \
	BODY(block3, half3, part3, ROWS3)       \
four:                                           \
	BODY(block4, half4, part4, ROWS4)       \
five:                                           \
	BODY(block5, half5, part5, ROWS5)       \
six:                                            \
	BODY(block6, half6, part6, ROWS6)

#define END        \
	VZEROUPPER \
	RET

// DOT adds the products of 4 values of an input row, o bytes into its block, and the
// unsigned codes in Z24 and Z25.
#define DOT(o, i, P, A, B, C, D) \
	VPBROADCASTD o(P), Z28   \
	VPDPBUSD     Z28, Z24, A \
	VPDPBUSD     Z28, Z25, B

// Kernels of 256-value blocks add integers over a block and keep the float sums in
// memory at SUMS(R15): 128 bytes an input row. With alignment that makes 1344 bytes. R14 and AX index within a block.
#define SUMS 512

// ALIGN points R15 at the scratch memory in the frame.
#define ALIGN            \
	LEAQ 63(SP), R15 \
	ANDQ $~63, R15

#define LOADK(o, i, P, A, B, C, D)     \
	MOVQ      (product_x+i)(DI), P \
	VPXORD    A, A, A              \
	VMOVDQA64 A, (SUMS+16*i)(R15)  \
	VMOVDQA64 A, (SUMS+64+16*i)(R15)

#define STOREK(o, i, P, A, B, C, D)     \
	RESULTS(i)                      \
	VMOVAPS (SUMS+16*i)(R15), A     \
	VMOVAPS (SUMS+64+16*i)(R15), B  \
	VMOVUPS A, K1, (AX)             \
	VMOVUPS B, K2, 64(AX)

#define CLEAR(o, i, P, A, B, C, D) \
	VPXORD A, A, A             \
	VPXORD B, B, B

#define CLEARTOTAL(o, i, P, A, B, C, D) \
	VPXORD C, C, C                  \
	VPXORD D, D, D

// TOTAL adds a sub-block's sums, times its scales in Z26 and Z27, to the block's.
#define TOTAL(o, i, P, A, B, C, D) \
	VPMULLD Z26, A, A          \
	VPMULLD Z27, B, B          \
	VPADDD  A, C, C            \
	VPADDD  B, D, D

// FLOATS adds a block's totals, times the scales in Z26 and Z27 and the input's.
#define FLOATS(o, i, P, A, B, C, D)              \
	VBROADCASTSS const_q8kScale(P), Z28      \
	VCVTDQ2PS    C, C                        \
	VCVTDQ2PS    D, D                        \
	VMULPS       Z28, Z26, Z30               \
	VMULPS       Z28, Z27, Z31               \
	VFMADD213PS  (SUMS+16*i)(R15), Z30, C    \
	VFMADD213PS  (SUMS+64+16*i)(R15), Z31, D \
	VMOVAPS      C, (SUMS+16*i)(R15)         \
	VMOVAPS      D, (SUMS+64+16*i)(R15)

#define NEXTK(o, i, P, A, B, C, D) \
	ADDQ $const_q8kBytes, P
