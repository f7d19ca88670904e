package matmul

// packings says what each type is packed into. Types that few files use borrow a
// wider layout that holds their values exactly.
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
	Q1_0:    {layoutI8, packQ1_0, 4},
	Q2_0:    {layoutI8, packQ2_0, 2},
	Q4_K:    {layoutQ4K, packQ4K, 1},
	Q5_K:    {layoutQ5K, packQ5K, 1},
	Q6_K:    {layoutQ6K, packQ6K, 1},
	Q3_K:    {layoutQ3K, packQ3K, 1},
	IQ4_XS:  {layoutIQ4K, packIQ4XS, 1},
	TQ1_0:   {layoutI8K, packI8K(codesTQ1), 1},
	TQ2_0:   {layoutI8K, packI8K(codesTQ2), 1},
	IQ2_XXS: {layoutI8K, packI8K(codesIQ2XXS), 1},
	IQ2_XS:  {layoutI8K, packI8K(codesIQ2XS), 1},
	IQ2_S:   {layoutI8K, packI8K(codesIQ2S), 1},
	IQ3_XXS: {layoutI8K, packI8K(codesIQ3XXS), 1},
	IQ3_S:   {layoutI8K, packI8K(codesIQ3S), 1},
	IQ1_S:   {layoutI8K, packI8K(codesIQ1S), 1},
	IQ1_M:   {layoutI8K, packI8K(codesIQ1M), 1},
	NVFP4:   {layoutF16, packNVFP4, 64},
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
	}
}
