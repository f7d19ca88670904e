// Package engine is the waist of confab: Open, Generate, Stream, Event. Behind it
// one loop runs every conversation of a model in the same steps, over one pool
// of cells; what is above it never sees a tensor.
//
//	  caller                  goroutine of            the loop: one goroutine,
//	                          the request             locked to its thread
//	┌──────────┐  Request   ┌─────────────┐ tokens  ┌──────────────────────────┐
//	│ Generate ├───────────►│ compose:    ├────────►│ inbox                    │
//	│          │            │ template,   │  post   │   │   ┌────────────────┐ │
//	│  Set     ├─────┐      │ tokenizer   │         │   ▼   ▼                │ │
//	│  Cancel  ├──┐  │      └─────────────┘         │ prepare: requests,     │ │
//	└──────────┘  │  │                              │  cancels, admit, plan  │ │
//	     ▲        ▼  ▼                              │   │ claims cells ◄─► kv │ │
//	     │      ┌────────┐    knobs, cancelled      │   ▼                    │ │
//	     │ Next │ Stream ├─────────────────────────►│ assemble: model.Step   │ │
//	     └──────┤  one   │                          │   ▼                    │ │
//	       Poll │ pending│    event, merged in      │ executor.Run (cpu,cuda)│ │
//	            │ Event  │◄─────────────────────────┤   ▼                    │ │
//	            └────────┘                          │ commit: tokens, voice, │ │
//	     Stats ◄── under the engine's lock ─────────┤  ends; emit            │ │
//	                                                │   └────────────────────┘ │
//	                                                └──────────────────────────┘
//
// Decisions:
//
//   - A Request is the whole conversation. What the pool holds of it, from an
//     earlier turn, another branch or another chat, is found by its tokens; at
//     least the last token is evaluated, for what follows it. A message that the
//     engine wrote goes in as its ids.
//   - The loop holds the engine's lock except while the executor runs, so Stats
//     and everything else waits for bookkeeping, never for arithmetic.
//   - Towards readers things are merged, not queued: a Stream has one pending
//     event that grows. Ends always arrive, after everything else, once.
//   - A knob is read when the step that samples with it is written. The noise is
//     a function of seed, position and token, and a row's arithmetic does not
//     depend on its company, so the text does not depend on chunks, batches,
//     drafts, waiting or rewinding; Change records make it replayable.
//   - A step has a decode row for each answer, the oldest first, then chunks of
//     prompts in rotation. How many rows follows from what rows have cost: steps
//     stay near 50 ms where somebody waits for tokens, below 150 ms otherwise,
//     and a cancel takes effect between two of them.
//   - An answer whose prompt another is just evaluating waits for that instead of
//     evaluating it too: a prompt in four panes costs one.
//   - Cells are claimed step by step, not reserved. Where none is left, caches go,
//     the one used longest ago first; then the youngest answer is paused, its
//     cells becoming a cache, and goes on when there is room. The oldest is never
//     paused, so somebody always finishes. A younger one that fits goes ahead of
//     an older one that does not, and gives way when that helps the older.
//   - While nothing is to be run, an executor may prepare what later steps would wait
//     for, a little between two looks at the inbox.
//   - What can never fit is refused before it takes a cell, with the numbers.
//   - Models with recurrent layers keep a memory a sequence that cannot be shared
//     or rewound: theirs go on exactly from where they ended, or begin anew.
//   - Where the last tokens stood in the conversation before, what followed them
//     then is proposed, as rows of the same step. How many follows from what
//     steps of each width cost and how often proposals agreed lately; the text is
//     the same without them.
//   - What does not fit on the GPU stays with the CPU: experts first, as few layers' as
//     possible, then whole layers, the first ones. The two halves run in turns within a
//     step; both have all cells, with the keys and values of their own layers.
//   - A step that fails is run again one sequence at a time, and who fails alone
//     ends with the error. A panic, or an executor's fatal error, ends every
//     stream and the engine, not the program.
package engine
