#include "product_amd64.h"

// What the AVX2 kernels share. They go over a panel four times, for 8 of its rows (an
// octet) each, which fill one register; R15 is 4 times the octet. Input row i has
//
//	R8+i     where its prepared values are
//	Y(i)     integer sums
//	Y(6+i)   second accumulators
//
// SI is the block, CX counts blocks, DI is the product, Y12 to Y14 are free and Y15
// holds 16-bit ones. OCTROWSn(M, o) applies M to n input rows: M(o, place in product.x,
// pointer, sums, second).
#define OCTROWS1(M, o) M(o, 0, R8, Y0, Y6)
#define OCTROWS2(M, o) OCTROWS1(M, o); M(o, 8, R9, Y1, Y7)
#define OCTROWS3(M, o) OCTROWS2(M, o); M(o, 16, R10, Y2, Y8)
#define OCTROWS4(M, o) OCTROWS3(M, o); M(o, 24, R11, Y3, Y9)
#define OCTROWS5(M, o) OCTROWS4(M, o); M(o, 32, R12, Y4, Y10)
#define OCTROWS6(M, o) OCTROWS5(M, o); M(o, 40, R13, Y5, Y11)

DATA bytes<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA bytes<>+8(SB)/8, $0x8080808080808080
DATA bytes<>+16(SB)/8, $0x1010101010101010
DATA bytes<>+24(SB)/8, $0x3030303030303030
DATA bytes<>+32(SB)/8, $0x8040201008040201
DATA bytes<>+40(SB)/4, $0x0000003f
DATA bytes<>+44(SB)/4, $0x003f003f
DATA bytes<>+48(SB)/4, $0x00010001
DATA bytes<>+52(SB)/4, $0xffff0000
GLOBL bytes<>(SB), RODATA|NOPTR, $56

#define BYTES0F bytes<>+0(SB)
#define BYTES80 bytes<>+8(SB)
#define BYTES10 bytes<>+16(SB)
#define BYTES30 bytes<>+24(SB)
#define BITS bytes<>+32(SB)
#define DWORD3F bytes<>+40(SB)
#define WORDS3F bytes<>+44(SB)
#define WORDS1 bytes<>+48(SB)
#define UPPER bytes<>+52(SB)

// Bytes 0 to 3, eight times each; and a bit a lane.
DATA eights<>+0(SB)/8, $0x0000000000000000
DATA eights<>+8(SB)/8, $0x0101010101010101
DATA eights<>+16(SB)/8, $0x0202020202020202
DATA eights<>+24(SB)/8, $0x0303030303030303
GLOBL eights<>(SB), RODATA|NOPTR, $32

DATA lanes<>+0(SB)/8, $0x0000000200000001
DATA lanes<>+8(SB)/8, $0x0000000800000004
DATA lanes<>+16(SB)/8, $0x0000002000000010
DATA lanes<>+24(SB)/8, $0x0000008000000040
GLOBL lanes<>(SB), RODATA|NOPTR, $32

#define OCTLOAD(o, i, P, A, C)     \
	MOVQ  (product_x+i)(DI), P \
	VPXOR C, C, C

#define OCTCLEAR(o, i, P, A, C) \
	VPXOR A, A, A

#define OCTBEGIN         \
	MOVQ p+0(FP), DI \
	XORL R15, R15    \
	VPBROADCASTD WORDS1, Y15

// OCTPASS begins an octet, OCTNEXT goes back for the next one.
#define OCTPASS                \
	MOVQ product_w(DI), SI \
	MOVQ product_blocks(DI), CX

#define OCTNEXT(OCTET) \
	ADDQ $4, R15   \
	CMPQ R15, $16  \
	JB   OCTET     \
	VZEROUPPER     \
	RET

// OCTMASK makes Y12 the mask of the octet's rows that exist.
#define OCTMASK                                 \
	MOVQ         R15, AX                    \
	SHRQ         $2, AX                     \
	MOVBLZX      product_mask(DI)(AX*1), AX \
	VMOVD        AX, X12                    \
	VPBROADCASTD X12, Y12                   \
	VPAND        lanes<>(SB), Y12, Y12      \
	VPCMPEQD     lanes<>(SB), Y12, Y12

#define OCTSTORE(o, i, P, A, C)            \
	RESULTS(i)                         \
	VMASKMOVPS C, Y12, (AX)(R15*8)

// DOTS adds the products of 4 values of an input row, o bytes on, and signed codes in
// Y12, whose magnitudes are in Y13.
#define DOTS(o, i, P, A, C)        \
	VPBROADCASTD o(P), Y14     \
	VPSIGNB      Y12, Y14, Y14 \
	VPMADDUBSW   Y14, Y13, Y14 \
	VPMADDWD     Y15, Y14, Y14 \
	VPADDD       Y14, A, A

// DOTU is the same for unsigned codes of at most 7 bits in Y12.
#define DOTU(o, i, P, A, C)        \
	VPBROADCASTD o(P), Y14     \
	VPMADDUBSW   Y14, Y12, Y14 \
	VPMADDWD     Y15, Y14, Y14 \
	VPADDD       Y14, A, A

// OCTBITS makes Y14 16 in every code whose bit is set in the 4 bytes at place.
#define OCTBITS(place)                      \
	VPBROADCASTD place, Y14             \
	VPSHUFB      eights<>(SB), Y14, Y14 \
	VPBROADCASTQ BITS, Y13              \
	VPAND        Y13, Y14, Y14          \
	VPCMPEQB     Y13, Y14, Y14          \
	VPBROADCASTQ BYTES10, Y13           \
	VPAND        Y13, Y14, Y14

// NIBLOW and NIBHIGH read nibbles into Y12.
#define NIBLOW(place)             \
	VPBROADCASTQ BYTES0F, Y13 \
	VPAND        place, Y13, Y12

#define NIBHIGH(place)            \
	VMOVDQU      place, Y12   \
	VPBROADCASTQ BYTES0F, Y13 \
	VPSRLW       $4, Y12, Y12 \
	VPAND        Y13, Y12, Y12

// OCTCHOOSE jumps to the body for the number of input rows.
#define OCTCHOOSE                 \
	MOVQ product_rows(DI), AX \
	CMPQ AX, $2               \
	JB   one                  \
	JEQ  two                  \
	CMPQ AX, $4               \
	JB   three                \
	JEQ  four                 \
	CMPQ AX, $6               \
	JB   five                 \
	JMP  six
