package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/confab-tui/confab/engine"
)

func benchCommand() *cobra.Command {
	s := newSettings()
	b := engine.BenchConfig{}
	var peer string
	var rounds int
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure prompt and generation speed through the real engine loop",
		Long: `Measure speed. One line of JSON a figure, medians: load_s in seconds, ppN prompt
tokens a second of one conversation, tgNxB@D generated tokens a second of B
conversations together that hold D tokens already, sampling included. With --peer
another program is measured in turn on the same file, and a table has the ratios.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.resolve(c.Flags()); err != nil {
				return err
			}
			if err := checkBench(b, rounds); err != nil {
				return err
			}
			if err := s.findModel(c.Context(), c.ErrOrStderr()); err != nil {
				return err
			}
			b.Config = s.engine
			b.Sampling = s.over(engine.DefaultSampling())
			if peer != "" {
				return compare(c.Context(), c.OutOrStdout(), b, peer, rounds)
			}
			enc := json.NewEncoder(c.OutOrStdout())
			return engine.Bench(c.Context(), b, func(f engine.Figure) error { return enc.Encode(f) })
		},
	}
	s.modelFlags(c.Flags())
	s.samplingFlags(c.Flags())
	f := c.Flags()
	f.IntVar(&b.Prompt, "prompt", 512, "tokens of the prompt to measure (0: none)")
	f.IntVar(&b.Generate, "gen", 64, "tokens to generate in each conversation")
	f.IntSliceVar(&b.Batch, "batch", []int{1}, "numbers of conversations at the same time")
	f.IntVar(&b.Depth, "depth", 0, "tokens that each conversation holds when generation starts")
	f.IntVar(&b.Repeat, "repeat", 3, "how often each figure is measured; the median counts")
	f.StringVar(&peer, "peer", "", "a command that takes these flags and prints these lines, to compare with")
	f.IntVar(&rounds, "rounds", 3, "how often both are measured with --peer")
	f.BoolVar(&b.Greedy, "greedy", false, "always take the likeliest token")
	return c
}

// checkBench refuses numbers with which nothing can be measured.
func checkBench(b engine.BenchConfig, rounds int) error {
	for _, c := range []struct {
		flag     string
		v, least int
	}{
		{"prompt", b.Prompt, 0}, {"gen", b.Generate, 0}, {"depth", b.Depth, 0}, {"repeat", b.Repeat, 1}, {"rounds", rounds, 1},
		{"batch", slices.Min(append([]int{1}, b.Batch...)), 1},
	} {
		if c.v < c.least {
			return usageError{fmt.Errorf("--%s: %d is less than %d", c.flag, c.v, c.least)}
		}
	}
	return nil
}
