// What the AVX2 kernels of 256-value blocks share.

// Float sums are in the frame, 32 bytes an input row. R14 counts values of the block;
// AX points at the lines and BX at the fifth bits or high bits of what is at hand.
#define OCTLOADK(o, i, P, A, C)      \
	MOVQ    (product_x+i)(DI), P \
	VPXOR   A, A, A              \
	VMOVDQU A, (4*i)(SP)

#define OCTSTOREK(o, i, P, A, C)           \
	RESULTS(i)                         \
	VMOVDQU    (4*i)(SP), A            \
	VMASKMOVPS A, Y12, (AX)(R15*8)

#define OCTZERO(o, i, P, A, C) \
	VPXOR C, C, C

// OCTTOTAL adds a sub-block's sums, times its scales in Y12, to the block's.
#define OCTTOTAL(o, i, P, A, C) \
	VPMULLD Y12, A, A       \
	VPADDD  A, C, C

// OCTFLOATS adds a block's totals, times the scales in Y12 and the input's.
#define OCTFLOATS(o, i, P, A, C)            \
	VBROADCASTSS const_q8kScale(P), Y14 \
	VMULPS       Y14, Y12, Y14          \
	VCVTDQ2PS    C, C                   \
	VFMADD213PS  (4*i)(SP), Y14, C      \
	VMOVUPS      C, (4*i)(SP)

// OCTLESS takes the minima's sums off, times their scales in Y13.
#define OCTLESS(o, i, P, A, C)              \
	VBROADCASTSS const_q8kScale(P), Y14 \
	VMULPS       Y14, Y13, Y14          \
	VCVTDQ2PS    A, A                   \
	VFNMADD213PS (4*i)(SP), Y14, A      \
	VMOVUPS      A, (4*i)(SP)

#define OCTSTEPK(o, i, P, A, C) \
	ADDQ $const_q8kBytes, P

#define DOTUK(o, i, P, A, C)          \
	VPBROADCASTD o(P)(R14*1), Y14 \
	VPMADDUBSW   Y14, Y12, Y14    \
	VPMADDWD     Y15, Y14, Y14    \
	VPADDD       Y14, A, A

#define DOTSK(o, i, P, A, C)          \
	VPBROADCASTD o(P)(R14*1), Y14 \
	VPSIGNB      Y12, Y14, Y14    \
	VPMADDUBSW   Y14, Y13, Y14    \
	VPMADDWD     Y15, Y14, Y14    \
	VPADDD       Y14, A, A
