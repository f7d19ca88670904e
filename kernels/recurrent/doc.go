// Package recurrent is the parts of a gated delta net that carry state from token to
// token: the causal convolution and the delta rule (Yang, Kautz and Hatamizadeh, "Gated
// Delta Networks", 2024).
package recurrent
