package kernels

import (
	"golang.org/x/sys/cpu"
)

// What the processor and the operating system offer, read once. Tests clear them
// to reach the slower forms.
var (
	HasAVX2FMA    = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	HasAVX512     = HasAVX2FMA && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ
	HasAVX512VNNI = HasAVX512 && cpu.X86.HasAVX512VNNI
	HasAVX512BF16 = HasAVX512 && cpu.X86.HasAVX512BF16
)

// Features names the instruction sets that products use, for people.
func Features() string {
	switch {
	case HasAVX512VNNI:
		return "AVX-512 VNNI"
	case HasAVX2FMA:
		return "AVX2"
	}
	return "plain Go"
}
