// Package chat turns messages into tokens and tokens into messages: it renders
// the model's chat template, keeps typed text from ever becoming a control
// token, and splits what a model streams into thinking, answer and tool calls.
package chat
