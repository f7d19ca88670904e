package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

func evalCommand() *cobra.Command {
	s := newSettings()
	var tokens, logits string
	var more int
	var asJSON bool
	c := &cobra.Command{
		Use:   "eval --tokens 1,2,3",
		Short: "Evaluate tokens: logits of every position and the greedy continuation",
		Long:  "Evaluate tokens. The logits go to a file of float32, little endian, [tokens][vocabulary]; the greedy continuation goes on past end tokens. Cells are float32 unless --cell-type says otherwise.",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ids, err := parseIDs(tokens)
			if err != nil {
				return usageError{err}
			}
			e, err := s.open(c.Context(), c.Flags(), c.ErrOrStderr())
			if err != nil {
				return err
			}
			defer e.Close()
			rows, greedy, err := e.Evaluate(c.Context(), ids, more)
			if err != nil {
				return err
			}
			if logits != "" {
				if err := writeLogits(logits, rows); err != nil {
					return err
				}
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(map[string]any{"tokens": ids, "greedy": greedy})
			}
			fmt.Fprintf(c.OutOrStdout(), "tokens  %s\ngreedy  %s\n        %q\n", joinIDs(ids), joinIDs(greedy), e.Detokenize(greedy))
			return nil
		},
	}
	s.modelFlags(c.Flags())
	_ = c.Flags().Set("cell-type", "f32")
	f := c.Flags()
	f.StringVar(&tokens, "tokens", "", "ids, separated by commas")
	f.IntVar(&more, "continue", 0, "how many tokens to go on for, always the likeliest")
	f.StringVar(&logits, "logits", "", "file for the logits")
	f.BoolVar(&asJSON, "json", false, "end with one line of JSON")
	return c
}

func parseIDs(list string) ([]int32, error) {
	if list == "" {
		return nil, errors.New("--tokens: no ids given")
	}
	var ids []int32
	for word := range strings.SplitSeq(list, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("--tokens: %q is no token id", word)
		}
		ids = append(ids, int32(id))
	}
	return ids, nil
}

func writeLogits(path string, rows [][]float32) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	for _, row := range rows {
		if err := binary.Write(w, binary.LittleEndian, row); err != nil {
			return err
		}
	}
	return w.Flush()
}
