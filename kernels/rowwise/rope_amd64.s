#include "textflag.h"

// Which cosine goes with each of the values of neighbouring pairs.
DATA pairIndex<>+0(SB)/8, $0x0000000000000000
DATA pairIndex<>+8(SB)/8, $0x0000000100000001
DATA pairIndex<>+16(SB)/8, $0x0000000200000002
DATA pairIndex<>+24(SB)/8, $0x0000000300000003
DATA pairIndex<>+32(SB)/8, $0x0000000400000004
DATA pairIndex<>+40(SB)/8, $0x0000000500000005
DATA pairIndex<>+48(SB)/8, $0x0000000600000006
DATA pairIndex<>+56(SB)/8, $0x0000000700000007
GLOBL pairIndex<>(SB), RODATA|NOPTR, $64

// func ropeHalves512(x, cos, sin *float32, half, n int)
//
// Turns n of half pairs, n a multiple of 16.
TEXT ·ropeHalves512(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), DI
	MOVQ cos+8(FP), SI
	MOVQ sin+16(FP), DX
	MOVQ half+24(FP), AX
	LEAQ (DI)(AX*4), R8
	MOVQ n+32(FP), CX
	XORQ BX, BX
loop:
	VMOVUPS (DI)(BX*4), Z0
	VMOVUPS (R8)(BX*4), Z1
	VMOVUPS (SI)(BX*4), Z2
	VMOVUPS (DX)(BX*4), Z3
	VMULPS Z3, Z1, Z4
	VFMSUB231PS Z2, Z0, Z4
	VMULPS Z3, Z0, Z5
	VFMADD231PS Z2, Z1, Z5
	VMOVUPS Z4, (DI)(BX*4)
	VMOVUPS Z5, (R8)(BX*4)
	ADDQ $16, BX
	CMPQ BX, CX
	JB   loop
	VZEROUPPER
	RET

// func ropeInterleaved512(x, cos, sin *float32, n int)
//
// Turns n neighbouring pairs, n a multiple of 8.
TEXT ·ropeInterleaved512(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ cos+8(FP), SI
	MOVQ sin+16(FP), DX
	MOVQ n+24(FP), CX
	VMOVUPS pairIndex<>(SB), Z6
	XORQ BX, BX
loop:
	VMOVUPS (DI)(BX*8), Z0
	VMOVUPS (SI)(BX*4), Y2
	VMOVUPS (DX)(BX*4), Y3
	VPERMPS Z2, Z6, Z2
	VPERMPS Z3, Z6, Z3
	VPERMILPS $0xb1, Z0, Z1
	VMULPS Z3, Z1, Z1
	VFMADDSUB213PS Z1, Z2, Z0
	VMOVUPS Z0, (DI)(BX*8)
	ADDQ $8, BX
	CMPQ BX, CX
	JB   loop
	VZEROUPPER
	RET

// func ropeHalves256(x, cos, sin *float32, half, n int)
//
// Turns n of half pairs, n a multiple of 8.
TEXT ·ropeHalves256(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), DI
	MOVQ cos+8(FP), SI
	MOVQ sin+16(FP), DX
	MOVQ half+24(FP), AX
	LEAQ (DI)(AX*4), R8
	MOVQ n+32(FP), CX
	XORQ BX, BX
loop:
	VMOVUPS (DI)(BX*4), Y0
	VMOVUPS (R8)(BX*4), Y1
	VMOVUPS (SI)(BX*4), Y2
	VMOVUPS (DX)(BX*4), Y3
	VMULPS Y3, Y1, Y4
	VFMSUB231PS Y2, Y0, Y4
	VMULPS Y3, Y0, Y5
	VFMADD231PS Y2, Y1, Y5
	VMOVUPS Y4, (DI)(BX*4)
	VMOVUPS Y5, (R8)(BX*4)
	ADDQ $8, BX
	CMPQ BX, CX
	JB   loop
	VZEROUPPER
	RET

// func ropeInterleaved256(x, cos, sin *float32, n int)
//
// Turns n neighbouring pairs, n a multiple of 4.
TEXT ·ropeInterleaved256(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ cos+8(FP), SI
	MOVQ sin+16(FP), DX
	MOVQ n+24(FP), CX
	VMOVUPS pairIndex<>(SB), Y6
	XORQ BX, BX
loop:
	VMOVUPS (DI)(BX*8), Y0
	VMOVUPS (SI)(BX*4), X2
	VMOVUPS (DX)(BX*4), X3
	VPERMPS Y2, Y6, Y2
	VPERMPS Y3, Y6, Y3
	VPERMILPS $0xb1, Y0, Y1
	VMULPS Y3, Y1, Y1
	VFMADDSUB213PS Y1, Y2, Y0
	VMOVUPS Y0, (DI)(BX*8)
	ADDQ $4, BX
	CMPQ BX, CX
	JB   loop
	VZEROUPPER
	RET
