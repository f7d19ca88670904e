// RESULTS points AX at where the results of input row o/8 go, of the product in DI.
#define RESULTS(o)                    \
	MOVQ  $(o/8), AX              \
	IMULQ product_outStep(DI), AX \
	ADDQ  product_out(DI), AX
