// ASK asks for a line: to the second-level cache on processors with kernels.PrefetchesToL2.
#define ASK(line)               \
	CMPB ·askL2(SB), $0     \
	JNE  3(PC)              \
	PREFETCHT0 line         \
	JMP  2(PC)              \
	PREFETCHT1 line
