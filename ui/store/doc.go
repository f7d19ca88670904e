// Package store keeps conversations on disk.
//
// A chat is a tree of messages from its first message on: editing and
// regenerating add versions beside what is there, and nothing is overwritten.
// The chat remembers its active leaf; the path from the root to it is what a
// person sees and what a model reads.
//
// Memory comes first. A Chat is a plain value that one goroutine owns; its
// methods change memory, hand the change to the writer and never wait. The
// writer, one goroutine a Store, merges changes and writes them a few times a
// second, at once when an answer ends. When writing fails it says so, keeps
// what it could not write, and tries again; nothing is lost while the program
// runs. Methods of Store that return an error do IO: call them off the
// goroutine that draws.
//
// Several programs may use one database. Messages are only added or completed
// by who made them, and chats are written column by column, so that neither
// program undoes what the other did.
package store
