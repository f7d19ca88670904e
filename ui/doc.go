// Package ui is the terminal program: one tea.Model, called root, whose parts
// (tabs, panes, transcripts, the knob panel, the input, sheets) are plain structs
// with methods.
//
// Invariants: Update does no IO and never waits; what takes time runs in a
// tea.Cmd, which only returns a message, or behind the store's writer. Streams
// are drained once a frame for all chats together, by one tick that runs only
// while something streams or loads. A part draws itself as lines of exactly its
// rectangle's width, so that a screen is put together by concatenation. Text of
// a model, a file or the network is cleaned before it is drawn.
package ui
