#include "go_asm.h"
#include "textflag.h"
#include "matrix_avx2_amd64.h"
#include "matrix_avx2_k_amd64.h"

// A sub-block here is 32 values of one shift (Q2_K, Q3_K) or one scale (IQ4_XS). R14
// counts values, DI is a quarter of it, which counts the input's sums of 16; AX points at
// the lines, BX at the fifth bits, CX at the scales and DX is 16 times the shift. The
// count of blocks is in the frame.
#define COUNT 192(SP)

DATA shifts<>+0(SB)/8, $0
DATA shifts<>+8(SB)/8, $0
DATA shifts<>+16(SB)/8, $2
DATA shifts<>+24(SB)/8, $0
DATA shifts<>+32(SB)/8, $4
DATA shifts<>+40(SB)/8, $0
DATA shifts<>+48(SB)/8, $6
DATA shifts<>+56(SB)/8, $0
GLOBL shifts<>(SB), RODATA|NOPTR, $64

DATA octiq4<>+0(SB)/8, $0xf6eaddcfbfad9881
DATA octiq4<>+8(SB)/8, $0x7159453526190d01
GLOBL octiq4<>(SB), RODATA|NOPTR, $16

DATA small<>+0(SB)/8, $0x0303030303030303
DATA small<>+8(SB)/8, $0x0404040404040404
DATA small<>+16(SB)/4, $0x0000000f
GLOBL small<>(SB), RODATA|NOPTR, $20

#define OCTSHIFTED(j)                        \
	VMOVDQU      (128*j)(AX)(R15*8), Y12 \
	LEAQ         shifts<>(SB), R14       \
	VPSRLW       (R14)(DX*1), Y12, Y12   \
	LEAQ         (DI*4), R14             \
	VPBROADCASTQ small<>+0(SB), Y13      \
	VPAND        Y13, Y12, Y12

#define OCTQ2LINE(ROWS, j) \
	OCTSHIFTED(j)      \
	ROWS(DOTUK, (4*j))

// The third bit is worth 4: OCTBITS gives 16.
#define OCTQ3LINE(ROWS, j)         \
	OCTSHIFTED(j)              \
	OCTBITS((16*j)(BX)(R15*1)) \
	VPSRLW $2, Y14, Y14        \
	VPADDB Y14, Y12, Y12       \
	ROWS(DOTUK, (4*j))

// OCTSTART4 sets the sums to -4 times the input's.
#define OCTSTART4(o, i, P, A, C)                      \
	VPBROADCASTD (const_q8kOffsets+o)(P)(DI*1), A \
	VPSRAD       $3, A, A

#define OCTQ2SCALE(o)                    \
	VPMOVZXBD    o(CX)(R15*2), Y12   \
	VPBROADCASTD small<>+16(SB), Y13 \
	VPAND        Y13, Y12, Y12

#define OCTQ3SCALE(o) \
	VPMOVSXBD o(CX)(R15*2), Y12

#define OCTQ2SUB(ROWS)                                                                 \
	ROWS(OCTCLEAR, 0)                                                              \
	OCTQ2LINE(ROWS, 0); OCTQ2LINE(ROWS, 1); OCTQ2LINE(ROWS, 2); OCTQ2LINE(ROWS, 3) \
	OCTQ2SCALE(0)                                                                  \
	ROWS(OCTTOTAL, 0)                                                              \
	ROWS(OCTCLEAR, 0)                                                              \
	OCTQ2LINE(ROWS, 4); OCTQ2LINE(ROWS, 5); OCTQ2LINE(ROWS, 6); OCTQ2LINE(ROWS, 7) \
	OCTQ2SCALE(32)                                                                 \
	ROWS(OCTTOTAL, 0)

#define OCTQ3SUB(ROWS)                                                                 \
	ROWS(OCTSTART4, 0)                                                             \
	OCTQ3LINE(ROWS, 0); OCTQ3LINE(ROWS, 1); OCTQ3LINE(ROWS, 2); OCTQ3LINE(ROWS, 3) \
	OCTQ3SCALE(0)                                                                  \
	ROWS(OCTTOTAL, 0)                                                              \
	ROWS(OCTSTART4, 4)                                                             \
	OCTQ3LINE(ROWS, 4); OCTQ3LINE(ROWS, 5); OCTQ3LINE(ROWS, 6); OCTQ3LINE(ROWS, 7) \
	OCTQ3SCALE(32)                                                                 \
	ROWS(OCTTOTAL, 0)

// OCTLOWER16 adds products of a sub-block's minima in Y12 and -32 times the input's sum.
#define OCTLOWER16(o, i, P, A, C)                   \
	VPBROADCASTD const_q8kOffsets(P)(DI*1), Y14 \
	VPMULLD      Y14, Y12, Y14                  \
	VPADDD       Y14, A, A

#define OCTLOWERED(o, i, P, A, C)           \
	VPSRAD       $5, A, A               \
	VBROADCASTSS const_q8kScale(P), Y14 \
	VMULPS       Y14, Y12, Y14          \
	VCVTDQ2PS    A, A                   \
	VFMADD213PS  (4*i)(SP), Y14, A      \
	VMOVUPS      A, (4*i)(SP)

#define OCTIQ4LINE(ROWS, j)              \
	NIBLOW((128*j)(AX)(R15*8))       \
	VBROADCASTI128 octiq4<>(SB), Y13 \
	VPSHUFB        Y12, Y13, Y12     \
	VPABSB         Y12, Y13          \
	ROWS(DOTSK, (4*j))               \
	NIBHIGH((128*j)(AX)(R15*8))      \
	VBROADCASTI128 octiq4<>(SB), Y13 \
	VPSHUFB        Y12, Y13, Y12     \
	VPABSB         Y12, Y13          \
	ROWS(DOTSK, (16+4*j))

// OCTFIRST and OCTLAST open and close the bodies.
#define OCTFIRST(BLOCK, SUB, scales, masks, lines, ROWS) \
	MOVQ p+0(FP), DI                                 \
	OCTPASS                                          \
	MOVQ CX, COUNT                                   \
	ROWS(OCTLOADK, 0)                                \
BLOCK:                                                   \
	ROWS(OCTZERO, 0)                                 \
	XORL R14, R14                                    \
	XORL DI, DI                                      \
	XORL DX, DX                                      \
	LEAQ scales(SI), CX                              \
	LEAQ masks(SI), BX                               \
	LEAQ lines(SI), AX                               \
SUB:

#define OCTLAST(OCTET, BLOCK, bytes, ROWS) \
	ROWS(OCTSTEPK, 0)                  \
	ADDQ $bytes, SI                    \
	DECQ COUNT                         \
	JNZ  BLOCK                         \
	MOVQ p+0(FP), DI                   \
	OCTMASK                            \
	ROWS(OCTSTOREK, 0)                 \
	OCTNEXT(OCTET)

// OCTSUBNEXT goes on to the next sub-block of 2-bit codes; after 4 of them, which
// share lines, come other lines.
#define OCTSUBNEXT(SUB, SAME) \
	ADDQ $64, CX          \
	ADDQ $128, BX         \
	ADDQ $32, R14         \
	ADDQ $8, DI           \
	ADDQ $16, DX          \
	CMPQ DX, $64          \
	JB   SAME             \
	XORL DX, DX           \
	ADDQ $1024, AX        \
SAME:                         \
	CMPQ DI, $64          \
	JB   SUB

#define OCTQ2K(OCTET, BLOCK, SUB, SAME, MINIMUM, ROWS) \
OCTET:                                                 \
	OCTFIRST(BLOCK, SUB, 128, 0, 640, ROWS)        \
	OCTQ2SUB(ROWS)                                 \
	OCTSUBNEXT(SUB, SAME)                          \
	VCVTPH2PS (SI)(R15*4), Y12                     \
	ROWS(OCTFLOATS, 0)                             \
	ROWS(OCTCLEAR, 0)                              \
	XORL DI, DI                                    \
	LEAQ 128(SI), CX                               \
MINIMUM:                                               \
	VPMOVZXBD (CX)(R15*2), Y12                     \
	VPSRLD    $4, Y12, Y12                         \
	ROWS(OCTLOWER16, 0)                            \
	ADDQ $32, CX                                   \
	ADDQ $4, DI                                    \
	CMPQ DI, $64                                   \
	JB   MINIMUM                                   \
	VCVTPH2PS 64(SI)(R15*4), Y12                   \
	ROWS(OCTLOWERED, 0)                            \
	OCTLAST(OCTET, BLOCK, 2688, ROWS)

#define OCTQ3K(OCTET, BLOCK, SUB, SAME, ROWS)     \
OCTET:                                            \
	OCTFIRST(BLOCK, SUB, 64, 576, 1600, ROWS) \
	OCTQ3SUB(ROWS)                            \
	OCTSUBNEXT(SUB, SAME)                     \
	VCVTPH2PS (SI)(R15*4), Y12                \
	ROWS(OCTFLOATS, 0)                        \
	OCTLAST(OCTET, BLOCK, 3648, ROWS)

#define OCTIQ4K(OCTET, BLOCK, SUB, ROWS)       \
OCTET:                                         \
	OCTFIRST(BLOCK, SUB, 64, 0, 320, ROWS) \
	ROWS(OCTCLEAR, 0)                      \
	OCTIQ4LINE(ROWS, 0)                    \
	OCTIQ4LINE(ROWS, 1)                    \
	OCTIQ4LINE(ROWS, 2)                    \
	OCTIQ4LINE(ROWS, 3)                    \
	VPMOVSXBD (CX)(R15*2), Y12             \
	ROWS(OCTTOTAL, 0)                      \
	ADDQ $32, CX                           \
	ADDQ $512, AX                          \
	ADDQ $32, R14                          \
	CMPQ R14, $256                         \
	JB   SUB                               \
	VCVTPH2PS (SI)(R15*4), Y12             \
	ROWS(OCTFLOATS, 0)                     \
	OCTLAST(OCTET, BLOCK, 4416, ROWS)

// func avx2Q2K(p *product)
TEXT ·avx2Q2K(SB), 0, $200-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTQ2K(octet1, block1, sub1, same1, minimum1, OCTROWS1)
two:
	OCTQ2K(octet2, block2, sub2, same2, minimum2, OCTROWS2)
three:
	OCTQ2K(octet3, block3, sub3, same3, minimum3, OCTROWS3)
four:
	OCTQ2K(octet4, block4, sub4, same4, minimum4, OCTROWS4)
five:
	OCTQ2K(octet5, block5, sub5, same5, minimum5, OCTROWS5)
six:
	OCTQ2K(octet6, block6, sub6, same6, minimum6, OCTROWS6)

// func avx2Q3K(p *product)
TEXT ·avx2Q3K(SB), 0, $200-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTQ3K(octet1, block1, sub1, same1, OCTROWS1)
two:
	OCTQ3K(octet2, block2, sub2, same2, OCTROWS2)
three:
	OCTQ3K(octet3, block3, sub3, same3, OCTROWS3)
four:
	OCTQ3K(octet4, block4, sub4, same4, OCTROWS4)
five:
	OCTQ3K(octet5, block5, sub5, same5, OCTROWS5)
six:
	OCTQ3K(octet6, block6, sub6, same6, OCTROWS6)

// func avx2IQ4K(p *product)
TEXT ·avx2IQ4K(SB), 0, $200-8
	OCTBEGIN
	OCTCHOOSE
one:
	OCTIQ4K(octet1, block1, sub1, OCTROWS1)
two:
	OCTIQ4K(octet2, block2, sub2, OCTROWS2)
three:
	OCTIQ4K(octet3, block3, sub3, OCTROWS3)
four:
	OCTIQ4K(octet4, block4, sub4, OCTROWS4)
five:
	OCTIQ4K(octet5, block5, sub5, OCTROWS5)
six:
	OCTIQ4K(octet6, block6, sub6, OCTROWS6)
