//go:build cuda

package sample

import (
	"math"

	"github.com/confab-tui/confab/gpu"
	"github.com/confab-tui/confab/kernels"
)

// MaxAlternatives is how many a draw on the device can report, MaxVocab how many tokens
// a row may have.
const (
	MaxAlternatives = 64
	MaxVocab        = segments * 128
)

// The scan of a row leaves the largest logit of each segment of 128 tokens, and a sum
// for each share of 4,096.
const (
	segments = 4096
	shares   = 128
)

// ScanFloats is the size of SampleRoom.Scan for a row.
const ScanFloats = segments + 2*shares

// DrawRow is a SampleParams as the device reads it: 64 bytes.
type DrawRow struct {
	temperature, scale, filterScale, topP, minPLog, repeat, presence, frequency float32
	topK                                                                        int32
	seedLow, seedHigh                                                           uint32
	pos, history, historyCount, alternatives, flags                             int32
}

const (
	flagTemperatureLast = 1
	flagMinP            = 2
)

// DrawRowOf converts p; its history stands at the index history of the step's ints.
func DrawRowOf(p *SampleParams, history int) DrawRow {
	r := DrawRow{temperature: p.Temperature, topP: p.TopP, repeat: p.Repeat, presence: p.Presence, frequency: p.Frequency,
		topK: int32(p.TopK), seedLow: uint32(p.Seed), seedHigh: uint32(p.Seed >> 32), pos: p.Pos,
		history: int32(history), historyCount: int32(len(p.History)), alternatives: int32(p.Alternatives)}
	if r.repeat == 0 {
		r.repeat = 1
	}
	if p.Temperature > 0 {
		r.scale = 1 / p.Temperature
	}
	r.filterScale = r.scale
	if p.TemperatureLast {
		r.filterScale = 1
		r.flags |= flagTemperatureLast
	}
	if p.MinP > 0 {
		r.minPLog = float32(math.Log(float64(p.MinP)))
		r.flags |= flagMinP
	}
	return r
}

// SampleRoom is what Sample works with on the device. Logits are changed and put
// back.
type SampleRoom struct {
	Logits       kernels.Place
	Rows         gpu.Ptr // DrawRow, one a row
	History      gpu.Ptr // the step's ints
	Count        gpu.Ptr // how many rows there are, an int32
	Drawn        gpu.Ptr // Drawn, one a row
	Alternatives gpu.Ptr // Drawn, MaxAlternatives a row; an ID of -1 is none
	Saved        gpu.Ptr // HistoryMax floats a row
	Scan         gpu.Ptr // ScanFloats floats a row
	HistoryMax   int
}

type sampleArgs struct {
	logits, rows, history, count, drawn, alternatives, saved, maxima, shares gpu.Ptr
	vocab, ld, historyMax, pad                                               int32
}

// QueueSample queues the draw of up to rows rows of vocab logits, at most MaxVocab.
func QueueSample(q *kernels.Queue, s *SampleRoom, vocab, rows int) {
	kernels.MustFit("vocabulary", vocab, MaxVocab)
	a := sampleArgs{
		logits: s.Logits.Ptr, rows: s.Rows, history: s.History, count: s.Count, drawn: s.Drawn, alternatives: s.Alternatives,
		saved: s.Saved, maxima: s.Scan, shares: s.Scan + gpu.Ptr(4*segments*rows),
		vocab: int32(vocab), ld: int32(s.Logits.Stride), historyMax: int32(s.HistoryMax)}
	kernels.Launch(q, "sample_scan", gpu.Config{Grid: [3]int{(vocab + 4095) / 4096, rows}, Threads: 256}, a)
	kernels.Launch(q, "sample", gpu.Config{Grid: [3]int{rows}, Threads: 1024}, a)
}
