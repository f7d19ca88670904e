// The exponential, shared by the fast forms that need it. exp(x) = 2^n * e^r with
// n the nearest integer to x*log2(e): e^r = 1 + (r + r²·q(r)), q of degree 4, good
// to 1.5 units in the last place from -104 (which gives 0) to 89 (infinity). The two
// forms do the same operations and give the same bits. The go command does not see a
// change here, in a folder above those that include it: build with -a after one.

// Constants, as float32 bits.
DATA expConst<>+0(SB)/4, $0xc2d00000  // -104, below which all is 0
DATA expConst<>+4(SB)/4, $0x42b20000  // 89, above which all is infinite
DATA expConst<>+8(SB)/4, $0x3fb8aa3b  // log2(e)
DATA expConst<>+12(SB)/4, $0x3f318000 // ln(2), high bits
DATA expConst<>+16(SB)/4, $0xb95e8083 // ln(2), what is left
DATA expConst<>+20(SB)/4, $0x3f000000 // q
DATA expConst<>+24(SB)/4, $0x3e2aaa6f
DATA expConst<>+28(SB)/4, $0x3d2aaa8d
DATA expConst<>+32(SB)/4, $0x3c0905b1
DATA expConst<>+36(SB)/4, $0x3ab6887e
DATA expConst<>+40(SB)/4, $0x3f800000 // 1
GLOBL expConst<>(SB), RODATA|NOPTR, $44

// log2(e) in 8 lanes.
DATA expLog2e<>+0(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expLog2e<>+8(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expLog2e<>+16(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expLog2e<>+24(SB)/8, $0x3fb8aa3b3fb8aa3b
GLOBL expLog2e<>(SB), RODATA|NOPTR, $32

// AVX-512: constants stay in Z21 to Z31.
#define EXP_LOAD_512 \
	VBROADCASTSS expConst<>+0(SB), Z21  \
	VBROADCASTSS expConst<>+4(SB), Z22  \
	VBROADCASTSS expConst<>+8(SB), Z23  \
	VBROADCASTSS expConst<>+12(SB), Z24 \
	VBROADCASTSS expConst<>+16(SB), Z25 \
	VBROADCASTSS expConst<>+20(SB), Z26 \
	VBROADCASTSS expConst<>+24(SB), Z27 \
	VBROADCASTSS expConst<>+28(SB), Z28 \
	VBROADCASTSS expConst<>+32(SB), Z29 \
	VBROADCASTSS expConst<>+36(SB), Z30 \
	VBROADCASTSS expConst<>+40(SB), Z31

// x = exp(x); n and q are scratch.
#define EXP_512(x, n, q) \
	VMAXPS x, Z21, x               \
	VMINPS x, Z22, x               \
	VMULPS Z23, x, n               \
	VRNDSCALEPS $8, n, n           \
	VFNMADD231PS Z24, n, x         \
	VFNMADD231PS Z25, n, x         \
	VMOVAPS Z30, q                 \
	VFMADD213PS Z29, x, q          \
	VFMADD213PS Z28, x, q          \
	VFMADD213PS Z27, x, q          \
	VFMADD213PS Z26, x, q          \
	VMULPS x, q, q                 \
	VFMADD213PS x, x, q            \
	VADDPS Z31, q, q               \
	VSCALEFPS n, q, x

// AVX2: constants stay in Y5, Y6 and Y8 to Y15. 2^n is multiplied in two halves, so that
// infinity and subnormals come out as they should.
#define EXP_LOAD_256 \
	VBROADCASTSS expConst<>+0(SB), Y5   \
	VBROADCASTSS expConst<>+4(SB), Y6   \
	VBROADCASTSS expConst<>+12(SB), Y8  \
	VBROADCASTSS expConst<>+16(SB), Y9  \
	VBROADCASTSS expConst<>+20(SB), Y10 \
	VBROADCASTSS expConst<>+24(SB), Y11 \
	VBROADCASTSS expConst<>+28(SB), Y12 \
	VBROADCASTSS expConst<>+32(SB), Y13 \
	VBROADCASTSS expConst<>+36(SB), Y14 \
	VBROADCASTSS expConst<>+40(SB), Y15

#define EXP_256(x, n, q) \
	VMAXPS x, Y5, x         \
	VMINPS x, Y6, x         \
	VMULPS expLog2e<>(SB), x, n \
	VROUNDPS $8, n, n       \
	VFNMADD231PS Y8, n, x   \
	VFNMADD231PS Y9, n, x   \
	VMOVAPS Y14, q          \
	VFMADD213PS Y13, x, q   \
	VFMADD213PS Y12, x, q   \
	VFMADD213PS Y11, x, q   \
	VFMADD213PS Y10, x, q   \
	VMULPS x, q, q          \
	VFMADD213PS x, x, q     \
	VADDPS Y15, q, q        \
	VCVTPS2DQ n, n          \
	VPSRAD $1, n, x         \
	VPSUBD x, n, n          \
	VPSLLD $23, x, x        \
	VPADDD x, Y15, x        \
	VPSLLD $23, n, n        \
	VPADDD n, Y15, n        \
	VMULPS x, q, q          \
	VMULPS n, q, x
