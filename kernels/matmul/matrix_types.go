package matmul

// packings says what each type is packed into; packingOf knows the exceptions.
var packings = map[Type]packing{
	F32:     {layoutF32, packF32, 1},
	F16:     {layoutF16, pack16, 1},
	BF16:    {layoutBF16, packBF16, 1},
	Q8_0:    {layoutI8, packQ8_0, 1},
	Q4_0:    {layoutQ4_0, packQ4, 1},
	Q4_1:    {layoutQ4_1, packQ4_1, 1},
	Q5_0:    {layoutQ5_0, packQ5_0, 1},
	Q5_1:    {layoutQ5_1, packQ5_1, 1},
	IQ4_NL:  {layoutIQ4, packQ4, 1},
	MXFP4:   {layoutFP4, packMXFP4, 1},
	Q1_0:    {layoutQ1_0, packQ1_0, 1},
	Q2_0:    {layoutQ2_0, packQ2_0, 1},
	Q4_K:    {layoutQ4K, packQ4K, 1},
	Q5_K:    {layoutQ5K, packQ5K, 1},
	Q6_K:    {layoutQ6K, packQ6K, 1},
	Q3_K:    {layoutQ3K, packQ3K, 1},
	IQ4_XS:  {layoutIQ4K, packIQ4XS, 1},
	TQ1_0:   {layoutTQ, packTQ(codesTQ1, 52), 1},
	TQ2_0:   {layoutTQ, packTQ(codesTQ2, 64), 1},
	IQ2_XXS: {layoutIQ2, packIQ2(codesIQ2XXS), 1},
	IQ2_XS:  {layoutIQ2, packIQ2(codesIQ2XS), 1},
	IQ2_S:   {layoutIQ2, packIQ2(codesIQ2S), 1},
	IQ3_XXS: {layoutIQ3, packIQ3(codesIQ3XXS, &valuesIQ3XXS), 1},
	IQ3_S:   {layoutIQ3, packIQ3(codesIQ3S, &valuesIQ3S), 1},
	IQ1_S:   {layoutIQ1S, packIQ1S, 1},
	IQ1_M:   {layoutIQ1M, packIQ1M, 1},
	NVFP4:   {layoutNVFP4, packNVFP4, 2},
	Q2_K:    {layoutQ2K, packQ2K, 1},
}

// plainProduct is the definition of a product with a panel of any layout.
func plainProduct(k kind, p *product) {
	switch k {
	case kindF32:
		plainFloat(p, readF32)
	case kindF16:
		plainFloat(p, readF16)
	case kindBF16:
		plainBF16(p)
	case kindI8:
		plain32(p, unpackI8)
	case kindQ4_0:
		plain32(p, unpackQ4_0)
	case kindIQ4:
		plain32(p, unpackIQ4)
	case kindFP4:
		plain32(p, unpackFP4)
	case kindQ4_1:
		plain32(p, unpackQ4_1)
	case kindQ5_0:
		plain32(p, unpackQ5_0)
	case kindQ5_1:
		plain32(p, unpackQ5_1)
	case kindQ4K:
		plain256(p, unpackQ4K)
	case kindQ5K:
		plain256(p, unpackQ5K)
	case kindQ6K:
		plain256(p, unpackQ6K)
	case kindQ2K:
		plain256(p, unpackQ2K)
	case kindQ3K:
		plain256(p, unpackQ3K)
	case kindIQ4K:
		plain256(p, unpackIQ4K)
	case kindI8K:
		plain256(p, unpackI8K)
	case kindTQ:
		plain256(p, unpackTQ)
	case kindIQ1S:
		plain256(p, unpackIQ1S)
	case kindIQ1M:
		plain256(p, unpackIQ1M)
	case kindIQ2:
		plain256(p, unpackIQ2)
	case kindIQ3:
		plain256(p, unpackIQ3)
	case kindQ1_0:
		plainBits(p, 1, 2)
	case kindQ2_0:
		plainBits(p, 2, 1)
	case kindNVFP4:
		plainNVFP4(p)
	}
}
