// Where a product's rows are, for kernels that have it in DI. Of row i, o is 8*i.

// ROWAT points P at an input row.
#define ROWAT(o, P)           \
	MOVQ product_x(DI), P \
	MOVQ o(P), P

// RESULTS points AX at where an input row's results go.
#define RESULTS(o)                    \
	MOVQ  $(o/8), AX              \
	IMULQ product_outStep(DI), AX \
	ADDQ  product_out(DI), AX
