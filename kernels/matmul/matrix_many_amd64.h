// What the kernels for 7 to 16 input rows share. A block of the panel is prepared once and
// multiplied with all rows, 3 or 4 at a time, before the next block: it and the rows' block
// stay in the first-level cache, and memory is read at an even pace. Row i of a group
// has the registers
//
//	R8+i        where its block is
//	Z(2i)       integer sums of an even sub-block with the first half of the panel
//	Z(2i+1)     with the second half
//	Z(8+2i)     the same of the sub-block after it
//	Z(9+2i)
//	Z(16+2i)    totals of the block, first half
//	Z(17+2i)    second half
//
// DI walks along product.x, R12 along the rows' float sums, R13 counts the rows left;
// Z31 and K3 are MERGE's, K4 is JOIN's. MANYn(M, o) applies the macro M to the registers of n rows: M(o, place in
// product.x, pointer, even first, even second, odd first, odd second, total first, second).
#define MANY3(M, o)                              \
	M(o, 0, R8, Z0, Z1, Z8, Z9, Z16, Z17);   \
	M(o, 8, R9, Z2, Z3, Z10, Z11, Z18, Z19); \
	M(o, 16, R10, Z4, Z5, Z12, Z13, Z20, Z21)
#define MANY4(M, o)  \
	MANY3(M, o); \
	M(o, 24, R11, Z6, Z7, Z14, Z15, Z22, Z23)

// The scratch memory at R15: what SCALESK writes, minima (4 pairs of sub-blocks) as words,
// scales (8 pairs) as words, the block's scales as floats, float sums (128 bytes an input row).
#define MINIMAAT 512
#define PAIRSAT 1024
#define FLOATSAT 2048
#define RESULTSAT 2304
#define BLOCKS 4352(R15)
#define OFFSET 4360(R15)
#define SMALL 4368(R15)
#define CODESAT 4416

// BEGINMANY is BEGIN for any number of rows, and clears the sums.
#define BEGINMANY(CLEAR)                        \
	SETUP                                   \
	ALIGN                                   \
	MOVQ            CX, BLOCKS              \
	MOVQ            $0, OFFSET              \
	MOVBLZX         product_small(DI), AX   \
	MOVQ            AX, SMALL               \
	MOVQ            $0xcccccccccccccccc, AX \
	KMOVQ           AX, K3                  \
	MOVL            $0x55555555, AX         \
	KMOVD           AX, K4                  \
	VBROADCASTI32X4 upper<>(SB), Z31        \
	VPXORD          Z0, Z0, Z0              \
	MOVQ            product_rows(DI), CX    \
	MOVQ            product_out(DI), R8     \
	LEAQ            RESULTSAT(R15), AX      \
CLEAR:                                          \
	PREFETCHWR8                             \
	ADDQ            product_outStep(DI), R8 \
	VMOVDQA64       Z0, (AX)                \
	VMOVDQA64       Z0, 64(AX)              \
	ADDQ            $128, AX                \
	DECQ            CX                      \
	JNZ             CLEAR

// GROUPS begins a block's groups. While the rows left are not a multiple of 4, it takes 3.
#define GROUPS                      \
	MOVQ  p+0(FP), DI           \
	MOVQ  product_rows(DI), R13 \
	LEAQ  product_x(DI), DI     \
	XORL  R12, R12              \
next:                               \
	TESTQ R13, R13              \
	JEQ   done                  \
	TESTQ $3, R13               \
	JNE   three                 \
	JMP   four

#define NEXTGROUP(n)       \
	ADDQ $(8*n), DI    \
	ADDQ $(128*n), R12 \
	SUBQ $n, R13       \
	JMP  next

// ENDGROUP keeps a group's float sums and goes on to the next one. What follows is for rows that are
// not small.
#define ENDGROUP(n, SEPARATE, TOGETHER, ROWS) \
	ROWS(KEEP, 0)                         \
	NEXTGROUP(n)                          \
SEPARATE:                                     \
	SPLIT                                 \
	ROWS(APART, 0)                        \
	JMP  TOGETHER

// ENDMANY goes on to the next block, of so many bytes, and at last writes the results.
#define ENDMANY(BYTES)                  \
done:                                   \
	ADDQ    $const_q8kBytes, OFFSET \
	ADDQ    $BYTES, SI              \
	DECQ    BLOCKS                  \
	JNZ     block                   \
	MOVQ    p+0(FP), DI             \
	MOVQ    product_rows(DI), CX    \
	MOVQ    product_out(DI), R8     \
	LEAQ    RESULTSAT(R15), AX      \
store:                                  \
	VMOVAPS (AX), Z0                \
	VMOVAPS 64(AX), Z1              \
	VMOVUPS Z0, K1, (R8)            \
	VMOVUPS Z1, K2, 64(R8)          \
	ADDQ    product_outStep(DI), R8 \
	ADDQ    $128, AX                \
	DECQ    CX                      \
	JNZ     store                   \
	END

#define LOADM(o, i, P, A, B, C, D, E, F) \
	MOVQ   i(DI), P                  \
	ADDQ   OFFSET, P                 \
	VPXORD E, E, E                   \
	VPXORD F, F, F

// DOTEVEN and DOTODD add the products of 4 values, o bytes from R14 on, with the codes of an even
// sub-block in Z24 and Z25, of an odd one in Z26 and Z27.
#define DOTEVEN(o, i, P, A, B, C, D, E, F) \
	VPBROADCASTD o(P)(R14*1), Z28      \
	VPDPBUSD     Z28, Z24, A           \
	VPDPBUSD     Z28, Z25, B

#define DOTODD(o, i, P, A, B, C, D, E, F) \
	VPBROADCASTD o(P)(R14*1), Z30     \
	VPDPBUSD     Z30, Z26, C          \
	VPDPBUSD     Z30, Z27, D

// MERGE adds the sums of two sub-blocks, times their scales, to the totals. The sums fit in
// words, so that one multiplication does for both.
#define MERGE(o, i, P, A, B, C, D, E, F) \
	VPSHUFB  Z31, C, K3, A           \
	VPSHUFB  Z31, D, K3, B           \
	VPDPWSSD SCALES(0), A, E         \
	VPDPWSSD SCALES(64), B, F

// APART does without that, with the scales by themselves in Z24 to Z27: SPLIT puts them there.
#define APART(o, i, P, A, B, C, D, E, F) \
	VPMULLD Z24, A, A                \
	VPMULLD Z25, B, B                \
	VPMULLD Z26, C, C                \
	VPMULLD Z27, D, D                \
	VPADDD  A, E, E                  \
	VPADDD  B, F, F                  \
	VPADDD  C, E, E                  \
	VPADDD  D, F, F

#define SPLIT                       \
	VPSRAD $16, SCALES(0), Z26  \
	VPSRAD $16, SCALES(64), Z27 \
	VPSLLD $16, SCALES(0), Z24  \
	VPSLLD $16, SCALES(64), Z25 \
	VPSRAD $16, Z24, Z24        \
	VPSRAD $16, Z25, Z25

// JOIN stores pair q of the scales in Z0 (even) and Z2 (odd), Z1 and Z3 for the second half.
#define JOIN(q)                            \
	VPSLLD    $16, Z2, Z2              \
	VPSLLD    $16, Z3, Z3              \
	VPBLENDMW Z0, Z2, K4, Z2           \
	VPBLENDMW Z1, Z3, K4, Z3           \
	VMOVDQA64 Z2, (PAIRSAT+128*q)(R15) \
	VMOVDQA64 Z3, (PAIRSAT+64+128*q)(R15)

// FLOATSM adds a block's totals, times its scales and the input's, to the float sums in E and F.
#define FLOATSM(o, i, P, A, B, C, D, E, F)              \
	VBROADCASTSS const_q8kScale(P), Z28             \
	VCVTDQ2PS    E, E                               \
	VCVTDQ2PS    F, F                               \
	VMULPS       FLOATSAT(R15), Z28, C              \
	VMULPS       (FLOATSAT+64)(R15), Z28, D         \
	VFMADD213PS  (RESULTSAT+16*i)(R15)(R12*1), C, E \
	VFMADD213PS  (RESULTSAT+64+16*i)(R15)(R12*1), D, F

#define KEEP(o, i, P, A, B, C, D, E, F)         \
	VMOVAPS E, (RESULTSAT+16*i)(R15)(R12*1) \
	VMOVAPS F, (RESULTSAT+64+16*i)(R15)(R12*1)

// Moves the low word of a number to its high word.
DATA upper<>+0(SB)/8, $0x0504808001008080
DATA upper<>+8(SB)/8, $0x0d0c808009088080
GLOBL upper<>(SB), RODATA|NOPTR, $16
