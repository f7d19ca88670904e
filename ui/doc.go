// Package ui is the terminal program: one tea.Model, called root, whose parts are
// plain structs with methods. A tab has panes, a pane shows a conversation through
// a transcript and has an editor for what is written to it; the panel turns the
// knobs of the focused conversation; a sheet is a view that covers them all.
//
// Invariants: Update does no IO and never waits; what takes time runs in a
// tea.Cmd, which only returns a message, or behind the store's writer. Streams
// are drained once a frame for all chats together, by one tick that runs only
// while something streams or loads. A part draws itself as lines of exactly its
// rectangle's width, so that a screen is put together by concatenation. Only what
// is in sight is drawn; a message is set again only when it, the width or the
// theme has changed. Text of a model, a file or the network is cleaned before it
// is drawn. A screen reaches the terminal through package screen, when a message has
// changed it.
//
// The editor is our own because it must measure text with the function that draws
// it, step over whole grapheme clusters, and hold a long paste as one chip.
package ui
