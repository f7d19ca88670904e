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
#include "matrix_32_arm64.h"
#include "matrix_k_arm64.h"
#include "matrix_k16_arm64.h"

// func dotI8(p *product, sums *panelSums)
TEXT ·dotI8(SB), NOSPLIT, $0-16
	EACHROWS(I8)

// func dotQ4_0(p *product, sums *panelSums)
TEXT ·dotQ4_0(SB), NOSPLIT, $0-16
	EACHROWS(Q4_0)

// func dotIQ4(p *product, sums *panelSums)
TEXT ·dotIQ4(SB), NOSPLIT, $0-16
	EACHROWS(IQ4)

// func dotFP4(p *product, sums *panelSums)
TEXT ·dotFP4(SB), NOSPLIT, $0-16
	EACHROWS(FP4)

// func dotQ4_1(p *product, sums *panelSums)
TEXT ·dotQ4_1(SB), NOSPLIT, $0-16
	EACHROWS(Q4_1)

// func dotQ5_0(p *product, sums *panelSums)
TEXT ·dotQ5_0(SB), NOSPLIT, $0-16
	EACHROWS(Q5_0)

// func dotQ5_1(p *product, sums *panelSums)
TEXT ·dotQ5_1(SB), NOSPLIT, $0-16
	EACHROWS(Q5_1)

// func dotQ4K(p *product, sums *panelSums)
TEXT ·dotQ4K(SB), 0, $400-16
	EACHROWS(Q4K)

// func dotQ5K(p *product, sums *panelSums)
TEXT ·dotQ5K(SB), 0, $400-16
	EACHROWS(Q5K)

// func dotQ6K(p *product, sums *panelSums)
TEXT ·dotQ6K(SB), 0, $400-16
	EACHROWS(Q6K)

// func dotI8K(p *product, sums *panelSums)
TEXT ·dotI8K(SB), 0, $400-16
	EACHROWS(I8K)

// func dotIQ4K(p *product, sums *panelSums)
TEXT ·dotIQ4K(SB), 0, $400-16
	EACHROWS(IQ4K)

// func dotQ3K(p *product, sums *panelSums)
TEXT ·dotQ3K(SB), 0, $400-16
	EACHROWS(Q3K)

// func dotQ2K(p *product, sums *panelSums)
TEXT ·dotQ2K(SB), 0, $400-16
	EACHROWS(Q2K)
