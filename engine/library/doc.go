// Package library finds the GGUF files that are already on this machine, and
// fetches more where a person asks for it. It looks in confab's own folder, in
// folders a person names, and in the caches of ollama, LM Studio, Hugging Face
// and llama.cpp, all of which it only ever reads. Files that are the same by
// their real path are listed once, the parts of a split file are one model, and a
// folder or manifest that cannot be read hides nothing else.
//
// A Hub fetches into confab's own folder only. Nothing that the server says is
// believed: names cannot leave the repository's folder, listings and bodies end
// at the sizes announced, a file bears its name only once its SHA-256 is right,
// and the token goes to the hub itself and nowhere else.
package library
