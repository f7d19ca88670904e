package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/confab-tui/confab/engine"
)

// rivalry measures confab and a peer in turn, so that a noisy machine is noisy
// for both.
type rivalry struct {
	bench  engine.BenchConfig
	peer   string
	rounds int
	order  []string
	ours   map[string][]float64
	theirs map[string][]float64
}

// compare prints, for each figure, both medians over all rounds and the ratio.
// The peer is a command that takes bench's flags and prints its lines.
func compare(ctx context.Context, out io.Writer, b engine.BenchConfig, peer string, rounds int) error {
	r := &rivalry{bench: b, peer: peer, rounds: rounds, ours: map[string][]float64{}, theirs: map[string][]float64{}}
	for range rounds {
		err := engine.Bench(ctx, b, func(f engine.Figure) error {
			if !slices.Contains(r.order, f.What) {
				r.order = append(r.order, f.What)
			}
			r.ours[f.What] = append(r.ours[f.What], f.Value)
			return nil
		})
		if err != nil {
			return err
		}
		if err := r.runPeer(ctx); err != nil {
			return err
		}
	}
	return r.print(out)
}

// runPeer runs the peer's command through the shell, with the same work to do.
func (r *rivalry) runPeer(ctx context.Context) error {
	b := r.bench
	batch := make([]string, len(b.Batch))
	for i, n := range b.Batch {
		batch[i] = strconv.Itoa(n)
	}
	args := []string{"--model", b.Config.Model, "--prompt", strconv.Itoa(b.Prompt), "--gen", strconv.Itoa(b.Generate),
		"--batch", strings.Join(batch, ","), "--depth", strconv.Itoa(b.Depth), "--repeat", strconv.Itoa(b.Repeat)}
	if b.Config.Threads > 0 {
		args = append(args, "--threads", strconv.Itoa(b.Config.Threads))
	}
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", r.peer + ` "$@"`, "sh"}, args...)...)
	cmd.Stderr = os.Stderr
	lines, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("peer %q: %w", r.peer, err)
	}
	sc := bufio.NewScanner(bytes.NewReader(lines))
	for sc.Scan() {
		var f engine.Figure
		if json.Unmarshal(sc.Bytes(), &f) == nil && f.What != "" {
			r.theirs[f.What] = append(r.theirs[f.What], f.Value)
		}
	}
	return sc.Err()
}

func (r *rivalry) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tconfab\tpeer\tratio\t\n")
	for _, what := range r.order {
		ours, theirs := median(r.ours[what]), median(r.theirs[what])
		ratio := "-"
		if theirs > 0 && ours > 0 {
			q := ours / theirs
			if what == "load_s" {
				q = 1 / q
			}
			ratio = fmt.Sprintf("%.2f", q)
		}
		fmt.Fprintf(w, "%s\t%.4g\t%.4g\t%s\t\n", what, ours, theirs, ratio)
	}
	fmt.Fprintf(w, "medians of %d rounds in turn\t\t\t\t\n", r.rounds)
	return w.Flush()
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
