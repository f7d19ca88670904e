//go:build !amd64 && !arm64

package matmul

func multiply(k kind, p *product) { plainProduct(k, p) }

func wantsWide() bool { return false }

func manySteps(kind) int { return 0 }
