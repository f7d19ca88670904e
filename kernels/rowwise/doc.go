// Package rowwise works on each row of activations by itself: sums, gates, norms, rotary
// positions, softmax and the routing of rows to experts.
package rowwise
