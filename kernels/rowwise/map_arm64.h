// One loop for the operations of map.go: BODY makes V0 of V0 and V1, with s and t in all
// lanes of V16 and V17, V2 to V7 and V18 to V20 free, and the other registers for the
// constants of exp. n is a multiple of 4.

TEXT FORM(SB), NOSPLIT, $0-40
	MOVD out+0(FP), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVD n+24(FP), R3
	FMOVS s+32(FP), F16
	DUPS(16, 16)
	FMOVS t+36(FP), F17
	DUPS(17, 17)
	EXPLOAD(R4)
loop:
	FMOVQ.P 16(R1), F0
	FMOVQ.P 16(R2), F1
	BODY
	FMOVQ.P F0, 16(R0)
	SUBS $4, R3
	BNE  loop
	RET

#undef FORM
#undef BODY
