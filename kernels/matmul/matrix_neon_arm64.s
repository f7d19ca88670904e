#include "go_asm.h"
#include "textflag.h"
#include "../neon_arm64.h"

// DOT adds the products of a line and 4 values of an input row, o bytes on: as 16-bit
// integers, which hold the sum of two (no code is -128 where a value is -128).
#define DOT(o, i, P, A, B, C, D)  \
	FMOVS (o)(P), F28         \
	DUPS(28, 28)              \
	DOTQUARTER(24, A)         \
	DOTQUARTER(25, B)         \
	DOTQUARTER(26, C)         \
	DOTQUARTER(27, D)

#define DOTQUARTER(w, A)   \
	SMULLB(28, w, 29)  \
	SMULL2B(28, w, 30) \
	ADDPH(30, 29, 29)  \
	SADALPH(29, A)

#include "matrix_arm64.h"

// func neonI8(p *product, sums *[groupRows][panelRows]float32)
TEXT ·neonI8(SB), NOSPLIT, $0-16
	EACHROWS(I8)
