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
	// PrefetchesToL2 says that memory is read faster by prefetches to the second-level cache than to the
	// first, which has fewer buffers for lines on their way. It is so on Zen 4 and not on Zen 5.
	PrefetchesToL2 = HasAVX512VNNI && family() == zen4
)

// zen4 is the family of Zen 3, too, which has no AVX-512.
const zen4 = 0x19

// family is the processor's, as CPUID has it.
func family() uint32

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
