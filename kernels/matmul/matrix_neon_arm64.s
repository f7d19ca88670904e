#include "go_asm.h"
#include "textflag.h"
#include "../neon_arm64.h"

// DOT adds the products of a line and 4 values of an input row, o bytes on: two at a time
// as 16-bit integers, which hold their sum because no value of an input is -128.
#define DOT(o, i, P, A, B, C, D) \
	FMOVS (o)(P), F28        \
	DUPS(28, 28)             \
	DOTQUARTER(24, A)        \
	DOTQUARTER(25, B)        \
	DOTQUARTER(26, C)        \
	DOTQUARTER(27, D)

#define DOTQUARTER(w, A)   \
	SMULLB(28, w, 29)  \
	SMULL2B(28, w, 30) \
	ADDPH(30, 29, 29)  \
	SADALPH(29, A)

#include "matrix_arm64.h"
#include "matrix_32_arm64.h"
#include "matrix_k_arm64.h"
#include "matrix_k16_arm64.h"

// func neonI8(p *product, sums *panelSums)
TEXT ·neonI8(SB), NOSPLIT, $0-16
	EACHROWS(I8)

// func neonQ4_0(p *product, sums *panelSums)
TEXT ·neonQ4_0(SB), NOSPLIT, $0-16
	EACHROWS(Q4_0)

// func neonIQ4(p *product, sums *panelSums)
TEXT ·neonIQ4(SB), NOSPLIT, $0-16
	EACHROWS(IQ4)

// func neonFP4(p *product, sums *panelSums)
TEXT ·neonFP4(SB), NOSPLIT, $0-16
	EACHROWS(FP4)

// func neonQ4_1(p *product, sums *panelSums)
TEXT ·neonQ4_1(SB), NOSPLIT, $0-16
	EACHROWS(Q4_1)

// func neonQ5_0(p *product, sums *panelSums)
TEXT ·neonQ5_0(SB), NOSPLIT, $0-16
	EACHROWS(Q5_0)

// func neonQ5_1(p *product, sums *panelSums)
TEXT ·neonQ5_1(SB), NOSPLIT, $0-16
	EACHROWS(Q5_1)

// func neonQ4K(p *product, sums *panelSums)
TEXT ·neonQ4K(SB), 0, $400-16
	EACHROWS(Q4K)

// func neonQ5K(p *product, sums *panelSums)
TEXT ·neonQ5K(SB), 0, $400-16
	EACHROWS(Q5K)

// func neonQ6K(p *product, sums *panelSums)
TEXT ·neonQ6K(SB), 0, $400-16
	EACHROWS(Q6K)

// func neonI8K(p *product, sums *panelSums)
TEXT ·neonI8K(SB), 0, $400-16
	EACHROWS(I8K)

// func neonIQ4K(p *product, sums *panelSums)
TEXT ·neonIQ4K(SB), 0, $400-16
	EACHROWS(IQ4K)

// func neonQ3K(p *product, sums *panelSums)
TEXT ·neonQ3K(SB), 0, $400-16
	EACHROWS(Q3K)

// func neonQ2K(p *product, sums *panelSums)
TEXT ·neonQ2K(SB), 0, $400-16
	EACHROWS(Q2K)
