#include "textflag.h"

// func family() uint32
TEXT ·family(SB), NOSPLIT, $0-4
	MOVL $1, AX
	XORL CX, CX
	CPUID
	MOVL AX, CX
	SHRL $8, AX
	ANDL $15, AX
	SHRL $20, CX
	ANDL $255, CX
	ADDL CX, AX
	MOVL AX, ret+0(FP)
	RET
