package cpu

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine/model"
)

// BenchmarkModel measures the model that CONFAB_BENCH_MODEL names: prompts of 512
// tokens, and steps of 1, 4 and 16 sequences that have 64 tokens each, on
// CONFAB_BENCH_THREADS workers or all. Random weights in a real model's shape do as well.
func BenchmarkModel(b *testing.B) {
	path := os.Getenv("CONFAB_BENCH_MODEL")
	if path == "" {
		b.Skip("CONFAB_BENCH_MODEL is not set")
	}
	p := load(b, path)
	began := time.Now()
	threads, _ := strconv.Atoi(os.Getenv("CONFAB_BENCH_THREADS"))
	e := start(b, p, Options{Cells: 4096, Threads: threads})
	b.Logf("packed in %v", time.Since(began).Round(time.Millisecond))
	b.Run("prompt512", func(b *testing.B) { benchPrompt(b, e, 512) })
	for _, n := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("decode%d", n), func(b *testing.B) { benchDecode(b, e, n) })
	}
}

func benchPrompt(b *testing.B, e *Executor, n int) {
	s := newSequence(n)
	st := s.step(someTokens(n, e.program.Spec.Vocab), n-1)
	st.Outputs[0].Logits = false
	benchStep(b, e, st)
}

// benchDecode runs the same step again and again, as if each were the next.
func benchDecode(b *testing.B, e *Executor, n int) { benchStep(b, e, decodeStep(b, e, n, 64)) }

// benchStep reports the mean rate and that of the fastest step, which is what an idle
// machine gives.
func benchStep(b *testing.B, e *Executor, st *model.Step) {
	best := time.Hour
	for b.Loop() {
		began := time.Now()
		if _, err := e.Run(st); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(began))
	}
	n := float64(len(st.Rows))
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "tok/s")
	b.ReportMetric(n/best.Seconds(), "best-tok/s")
}

// decodeStep evaluates n prompts of some length and returns a step that adds a token to
// each of them.
func decodeStep(t testing.TB, e *Executor, n, length int) *model.Step {
	t.Helper()
	next := &model.Step{}
	for i := range n {
		s := &sequence{}
		for c := range length {
			s.cells = append(s.cells, int32(1+i*length+c))
		}
		tokens := someTokens(length, e.program.Spec.Vocab)
		if _, err := e.Run(s.step(tokens[:length-1])); err != nil {
			t.Fatal(err)
		}
		last := s.step(tokens[length-1:], length-1)
		last.Seqs[0].First, last.Outputs[0].Row = i, i
		last.Outputs[0].Logits = false
		next.Rows = append(next.Rows, last.Rows...)
		next.Seqs = append(next.Seqs, last.Seqs...)
		next.Outputs = append(next.Outputs, last.Outputs...)
	}
	return next
}

func someTokens(n, vocab int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32((i*7919 + 13) % vocab)
	}
	return tokens
}

// BenchmarkLoad measures from opening the file to ready, with the file in the page cache.
func BenchmarkLoad(b *testing.B) {
	path := os.Getenv("CONFAB_BENCH_MODEL")
	if path == "" {
		b.Skip("CONFAB_BENCH_MODEL is not set")
	}
	best := time.Hour
	for b.Loop() {
		began := time.Now()
		e, err := New(load(b, path), Options{Cells: 1024})
		if err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(began))
		e.Close()
	}
	b.ReportMetric(1000*best.Seconds(), "best-ms")
}
