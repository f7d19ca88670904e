// Package engine is the waist of confab: Open, Generate, Stream, Event.
package engine
