// Package builtin holds the small chat model that ships inside confab, so that
// a first run works at once and offline. MODEL_CARD.md beside it says what the
// model is and how it was made.
package builtin

import _ "embed"

// Name is how the model is called where a file name would stand.
const Name = "confab-tiny-q8_0"

//go:embed confab-tiny-q8_0.gguf
var model []byte

// Model returns the GGUF file's bytes, which nobody may change.
func Model() []byte { return model }
