// What the kernels of types with 2-bit codes in blocks of 256 share. R14 is 32 times the half of the
// block, of 128 values, and AX 512 times.

// SHIFTED reads 2-bit codes: line j of the half, shifted by twice g.
#define SHIFTED(lines, g, j)                           \
	VPSRLW $(2*g), (lines+128*j)(SI)(AX*2), Z24    \
	VPSRLW $(2*g), (lines+64+128*j)(SI)(AX*2), Z25 \
	VPANDD Z24, Z29, Z24                           \
	VPANDD Z25, Z29, Z25

// SUBS goes through the sub-blocks of a half: field g, its first or its last four lines. HALVES
// adds a block's products to the totals.
#define SUBS(SUB, ROWS)    \
	SUB(ROWS, 0, 0, 0) \
	SUB(ROWS, 0, 1, 4) \
	SUB(ROWS, 1, 0, 0) \
	SUB(ROWS, 1, 1, 4) \
	SUB(ROWS, 2, 0, 0) \
	SUB(ROWS, 2, 1, 4) \
	SUB(ROWS, 3, 0, 0) \
	SUB(ROWS, 3, 1, 4)

#define HALVES(HALF, SUB, ROWS) \
	ROWS(CLEARTOTAL, 0)     \
	FIRSTHALF               \
HALF:                           \
	SUBS(SUB, ROWS)         \
	NEXTHALF(HALF)

#define FIRSTHALF     \
	XORL R14, R14 \
	XORL AX, AX

#define NEXTHALF(HALF) \
	ADDQ $32, R14  \
	ADDQ $512, AX  \
	CMPQ AX, $1024 \
	JB   HALF

// HALFSCALED adds the block's totals, by scales of F16, HALFTIMES by those times a factor.
#define HALFSCALED(ROWS)      \
	VCVTPH2PS (SI), Z26   \
	VCVTPH2PS 32(SI), Z27 \
	ROWS(FLOATS, 0)

#define HALFTIMES(ROWS, factor)      \
	VCVTPH2PS   (SI), Z26        \
	VCVTPH2PS   32(SI), Z27      \
	VMULPS.BCST factor, Z26, Z26 \
	VMULPS.BCST factor, Z27, Z27 \
	ROWS(FLOATS, 0)

#define NEXTBLOCK(BLOCK, bytes, ROWS) \
	ROWS(NEXTK, 0)                \
	ADDQ $bytes, SI               \
	DECQ CX                       \
	JNZ  BLOCK                    \
	ROWS(STOREK, 0)               \
	END
