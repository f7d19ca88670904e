package kernels

import "golang.org/x/sys/cpu"

// What the processor and the operating system offer, read once. Tests clear them
// to reach the slower forms.
var (
	hasAVX2FMA    = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512     = hasAVX2FMA && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ
	hasAVX512VNNI = hasAVX512 && cpu.X86.HasAVX512VNNI
	hasAVX512BF16 = hasAVX512 && cpu.X86.HasAVX512BF16
)

// Features names the instruction sets that products use, for people.
func Features() string {
	switch {
	case hasAVX512VNNI:
		return "AVX-512 VNNI"
	case hasAVX2FMA:
		return "AVX2"
	}
	return "plain Go"
}
