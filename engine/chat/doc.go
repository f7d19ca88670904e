// Package chat turns messages into tokens and tokens into messages: it renders
// the model's chat template, keeps typed text from ever becoming a control
// token, and splits what a model streams into thinking, answer and tool calls.
//
// A template is Jinja text from a model's file, and nobody knows who wrote it.
// It is scanned and translated (scan, tokens, translate, rewrite) into one that
// the library renders as Jinja2 does, with filters and methods of our own
// (filters, methods, select, json, python), all of it under a guard that bounds
// time, steps, depth and bytes.
//
// What a model writes is read by the marks that its template and vocabulary speak of
// (detect, sections, toolmarks; parser, meet), and tool calls by their form, whichever
// model wrote it (toolcall, toolforms, toolspaced, literals).
//
// What must hold:
//   - The encoding of a conversation begins with that of its earlier part and
//     the ids of the answer, wherever the template keeps the answer's text.
//   - No spelling in a message becomes a control token; marks that travel
//     through the template with the text see to that (mark).
//   - The parser's result does not depend on how the stream is cut.
package chat
