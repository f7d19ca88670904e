// One loop for the operations of map.go: BODY_512 makes Z0 of Z0 and Z1, with s and
// t in Z16 and Z17 and Z2 to Z5 free; BODY_256 makes Y0 of Y0 and Y1, with Y2 to Y4
// and Y7 free and the other registers for the constants of exp. The rest of a row goes through the same
// body under a mask.

TEXT FORM_512(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSS s+32(FP), Z16
	VBROADCASTSS t+36(FP), Z17
	EXP_LOAD_512
	XORQ BX, BX
	MOVQ CX, R8
	ANDQ $-16, R8
	JE   tail
loop:
	VMOVUPS (SI)(BX*4), Z0
	VMOVUPS (DX)(BX*4), Z1
	BODY_512
	VMOVUPS Z0, (DI)(BX*4)
	ADDQ $16, BX
	CMPQ BX, R8
	JB   loop
tail:
	SUBQ BX, CX
	JE   done
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1
	VMOVUPS.Z (SI)(BX*4), K1, Z0
	VMOVUPS.Z (DX)(BX*4), K1, Z1
	BODY_512
	VMOVUPS Z0, K1, (DI)(BX*4)
done:
	VZEROUPPER
	RET

TEXT FORM_256(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX
	EXP_LOAD_256
	XORQ BX, BX
	MOVQ CX, R8
	ANDQ $-8, R8
	JE   tail
loop:
	VMOVUPS (SI)(BX*4), Y0
	VMOVUPS (DX)(BX*4), Y1
	BODY_256
	VMOVUPS Y0, (DI)(BX*4)
	ADDQ $8, BX
	CMPQ BX, R8
	JB   loop
tail:
	SUBQ BX, CX
	JE   done
	LEAQ tailMask<>+32(SB), AX
	SHLQ $2, CX
	SUBQ CX, AX
	VMOVDQU (AX), Y2
	VMASKMOVPS (SI)(BX*4), Y2, Y0
	VMASKMOVPS (DX)(BX*4), Y2, Y1
	BODY_256
	VMOVDQU (AX), Y2
	VMASKMOVPS Y0, Y2, (DI)(BX*4)
done:
	VZEROUPPER
	RET

#undef FORM_512
#undef FORM_256
#undef BODY_512
#undef BODY_256
