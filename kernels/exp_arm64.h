// The exponential, shared by the arm64 forms that need it: the same operations, constants
// and bits as exp_amd64.h's. Constants stay in V21 to V31. Build with -a after a change here.
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

// EXPLOAD goes through an address register.
#define EXPLOAD(R)              \
	MOVD $expConst<>(SB), R \
	VLD1R.P 4(R), [V21.S4]  \
	VLD1R.P 4(R), [V22.S4]  \
	VLD1R.P 4(R), [V23.S4]  \
	VLD1R.P 4(R), [V24.S4]  \
	VLD1R.P 4(R), [V25.S4]  \
	VLD1R.P 4(R), [V26.S4]  \
	VLD1R.P 4(R), [V27.S4]  \
	VLD1R.P 4(R), [V28.S4]  \
	VLD1R.P 4(R), [V29.S4]  \
	VLD1R.P 4(R), [V30.S4]  \
	VLD1R   (R), [V31.S4]

// x = exp(x); n, p and q are scratch. 2^n is multiplied in two halves, so that infinity and
// subnormals come out as they should.
#define EXP(x, n, p, q)                 \
	VFMAXS(21, x, x)                \
	VFMINS(22, x, x)                \
	VFMULS(23, x, n)                \
	FRINTNS(n, n)                   \
	FMLSS(24, n, x)                 \
	FMLSS(25, n, x)                 \
	MOVV(29, p); FMLAS(30, x, p)    \
	MOVV(28, q); FMLAS(p, x, q)     \
	MOVV(27, p); FMLAS(q, x, p)     \
	MOVV(26, q); FMLAS(p, x, q)     \
	VFMULS(x, q, q)                 \
	MOVV(x, p); FMLAS(q, x, p)      \
	VFADDS(31, p, p)                \
	FCVTNSS(n, n)                   \
	SSHRS(1, n, x)                  \
	SUBS4(x, n, n)                  \
	SHLS(23, x, x); ADDS4(31, x, x) \
	SHLS(23, n, n); ADDS4(31, n, n) \
	VFMULS(x, p, p)                 \
	VFMULS(n, p, x)
