// Vector instructions of arm64 that Go's assembler has no names for. Registers are given by
// number, sources first and the destination last, as in Go's own. The go command does not see
// a change here, in a folder above those that include it: build with -a after one.

// Integer dot products of 4 bytes each (FEAT_DotProd): d += n's lanes with m's first one.
#define SDOTLANE(m, n, d) WORD $(0x4F80E000 | (m)<<16 | (n)<<5 | (d))

// Products of the lower and upper 8 bytes as 16-bit integers; of 16-bit ones with lane i of
// m, one of V0 to V15, added to 32-bit ones.
#define SMULLB(m, n, d) WORD $(0x0E20C000 | (m)<<16 | (n)<<5 | (d))
#define SMULL2B(m, n, d) WORD $(0x4E20C000 | (m)<<16 | (n)<<5 | (d))
#define SMLALH(m, i, n, d) WORD $(0x0F402000 | ((i)&3)<<20 | ((i)>>2)<<11 | (m)<<16 | (n)<<5 | (d))
#define SMLAL2H(m, i, n, d) WORD $(0x4F402000 | ((i)&3)<<20 | ((i)>>2)<<11 | (m)<<16 | (n)<<5 | (d))

// Sums of neighbouring 16-bit lanes: of n's, then m's; of n's as 32-bit ones, added to d.
#define ADDPH(m, n, d) WORD $(0x4E60BC00 | (m)<<16 | (n)<<5 | (d))
#define SADALPH(n, d) WORD $(0x4E606800 | (n)<<5 | (d))

// Widening, of lower and upper halves: signed bytes to 16 bits, those to 32, F16 to F32.
#define SXTLB(n, d) WORD $(0x0F08A400 | (n)<<5 | (d))
#define SXTL2B(n, d) WORD $(0x4F08A400 | (n)<<5 | (d))
#define SXTLH(n, d) WORD $(0x0F10A400 | (n)<<5 | (d))
#define SXTL2H(n, d) WORD $(0x4F10A400 | (n)<<5 | (d))
#define FCVTLH(n, d) WORD $(0x0E217800 | (n)<<5 | (d))
#define FCVTL2H(n, d) WORD $(0x4E217800 | (n)<<5 | (d))

// Four 32-bit integers: a product added, also with m's first lane; all lanes as n's first;
// shifted right and left; sums and differences n-m; as floats, and to the nearest from them.
#define MLAS(m, n, d) WORD $(0x4EA09400 | (m)<<16 | (n)<<5 | (d))
#define MLALANE(m, n, d) WORD $(0x6F800000 | (m)<<16 | (n)<<5 | (d))
#define DUPS(n, d) WORD $(0x4E040400 | (n)<<5 | (d))
#define SSHRS(i, n, d) WORD $(0x4F000400 | (64-(i))<<16 | (n)<<5 | (d))
#define SHLS(i, n, d) WORD $(0x4F005400 | (32+(i))<<16 | (n)<<5 | (d))
#define ADDS4(m, n, d) WORD $(0x4EA08400 | (m)<<16 | (n)<<5 | (d))
#define SUBS4(m, n, d) WORD $(0x6EA08400 | (m)<<16 | (n)<<5 | (d))
#define SCVTFS(n, d) WORD $(0x4E21D800 | (n)<<5 | (d))
#define FCVTNSS(n, d) WORD $(0x4E21A800 | (n)<<5 | (d))

// Narrowing 32-bit integers to 16 bits and those to bytes, kept in their range, into lower and
// upper halves; the sum of 16 bytes, 16 bits wide.
#define SQXTNS(n, d) WORD $(0x0E614800 | (n)<<5 | (d))
#define SQXTN2S(n, d) WORD $(0x4E614800 | (n)<<5 | (d))
#define SQXTNH(n, d) WORD $(0x0E214800 | (n)<<5 | (d))
#define SQXTN2H(n, d) WORD $(0x4E214800 | (n)<<5 | (d))
#define SADDLVB(n, d) WORD $(0x4E303800 | (n)<<5 | (d))

// BF16 to F32, of lower and upper halves.
#define SHLLH(n, d) WORD $(0x2E613800 | (n)<<5 | (d))
#define SHLL2H(n, d) WORD $(0x6E613800 | (n)<<5 | (d))

// F32 to F16, into the lower half.
#define FCVTNH(n, d) WORD $(0x0E216800 | (n)<<5 | (d))

// Four floats. LANE is with m's first one; FMLSS takes a product off; of VFSUBS and VFDIVS n
// comes first. FADDPS adds neighbours, of n's, then m's; FMAXVS and FMINVS leave the
// largest and the smallest; FCMGES is ones where n is at least m.
#define FMULLANE(m, n, d) WORD $(0x4F809000 | (m)<<16 | (n)<<5 | (d))
#define FMLALANE(m, n, d) WORD $(0x4F801000 | (m)<<16 | (n)<<5 | (d))
#define FMLAS(m, n, d) WORD $(0x4E20CC00 | (m)<<16 | (n)<<5 | (d))
#define FMLSS(m, n, d) WORD $(0x4EA0CC00 | (m)<<16 | (n)<<5 | (d))
#define VFMULS(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))
#define VFDIVS(m, n, d) WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d))
#define VFADDS(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))
#define VFSUBS(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))
#define FADDPS(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d))
#define VFMAXS(m, n, d) WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d))
#define VFMINS(m, n, d) WORD $(0x4EA0F400 | (m)<<16 | (n)<<5 | (d))
#define FMAXVS(n, d) WORD $(0x6E30F800 | (n)<<5 | (d))
#define FMINVS(n, d) WORD $(0x6EB0F800 | (n)<<5 | (d))
#define FRINTNS(n, d) WORD $(0x4E218800 | (n)<<5 | (d))
#define VFABSS(n, d) WORD $(0x4EA0F800 | (n)<<5 | (d))
#define VFNEGS(n, d) WORD $(0x6EA0F800 | (n)<<5 | (d))
#define FCMGES(m, n, d) WORD $(0x6E20E400 | (m)<<16 | (n)<<5 | (d))

// Two doubles: those of the lower and upper floats, sums, and the sum of both.
#define FCVTLS(n, d) WORD $(0x0E617800 | (n)<<5 | (d))
#define FCVTL2S(n, d) WORD $(0x4E617800 | (n)<<5 | (d))
#define VFADDD(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))
#define FADDPD(n, d) WORD $(0x7E70D800 | (n)<<5 | (d))

// All of a register: zeros, a copy; two registers at address register n plus at, a multiple
// of 16 from 0 to 1008, loaded or stored.
#define ZEROV(d) WORD $(0x6F00E400 | (d))
#define MOVV(n, d) WORD $(0x4EA01C00 | (n)<<16 | (n)<<5 | (d))
#define LDPQ(at, n, d, d1) WORD $(0xAD400000 | ((at)>>4)<<15 | (d1)<<10 | (n)<<5 | (d))
#define STPQ(at, n, d, d1) WORD $(0xAD000000 | ((at)>>4)<<15 | (d1)<<10 | (n)<<5 | (d))
