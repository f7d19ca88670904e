// Package library finds the GGUF files that are already on this machine: in
// confab's own folder, in folders a person names, and in the caches of ollama,
// LM Studio, Hugging Face and llama.cpp. It only ever reads them. Files that are
// the same by their real path are listed once, the parts of a split file are one
// model, and a folder or manifest that cannot be read hides nothing else.
package library
