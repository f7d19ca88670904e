// Package sample draws tokens out of logits: penalties, filters, temperature, and noise
// from a counter-based generator, so that a seed and a position always draw the same.
package sample
