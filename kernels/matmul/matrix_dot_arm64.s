#include "go_asm.h"
#include "textflag.h"
#include "../neon_arm64.h"

// DOT adds the products of a line and 4 values of an input row, o bytes on.
#define DOT(o, i, P, A, B, C, D) \
	FMOVS (o)(P), F28        \
	SDOTLANE(28, 24, A)      \
	SDOTLANE(28, 25, B)      \
	SDOTLANE(28, 26, C)      \
	SDOTLANE(28, 27, D)

#include "matrix_arm64.h"

// func dotI8(p *product, sums *[groupRows][panelRows]float32)
TEXT ·dotI8(SB), NOSPLIT, $0-16
	EACHROWS(I8)
