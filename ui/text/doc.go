// Package text turns untrusted text into styled lines: it cleans what came from
// a model, a file or the network, measures and wraps by grapheme clusters, and
// renders markdown while it streams.
//
// Invariants: no control byte of the input reaches a Line; no Line is wider than
// the width asked for; a Document gives the same Lines whatever pieces its text
// came in; only the last block of a growing Document is rendered again.
//
// Markdown is parsed by goldmark and code is coloured by chroma. The step from
// syntax tree to lines is our own, because marks in the margin and the token
// view need to know which bytes of the source a line shows, and because text
// that looks like HTML must stay visible in a chat.
package text
