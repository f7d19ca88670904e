package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/confab-tui/confab/engine"
)

func tokenizeCommand() *cobra.Command {
	s := newSettings()
	var special, asJSON bool
	c := &cobra.Command{
		Use:   "tokenize [TEXT]",
		Short: "Show the tokens of a text (an argument, or standard input)",
		RunE: func(c *cobra.Command, args []string) error {
			text := strings.Join(args, " ")
			if len(args) == 0 {
				data, err := io.ReadAll(c.InOrStdin())
				if err != nil {
					return fmt.Errorf("standard input: %w", err)
				}
				text = string(data)
			}
			e, err := s.open(c.Context(), c.Flags(), c.ErrOrStderr())
			if err != nil {
				return err
			}
			defer e.Close()
			ids := e.Tokenize(text, special)
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(ids)
			}
			for _, id := range ids {
				fmt.Fprintf(c.OutOrStdout(), "%7d  %q\n", id, e.Piece(id))
			}
			return nil
		},
	}
	s.modelFlags(c.Flags())
	c.Flags().BoolVar(&special, "special", false, "read control tokens' spellings as the tokens")
	c.Flags().BoolVar(&asJSON, "json", false, "print the ids as one JSON list")
	return c
}

func renderCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	c := &cobra.Command{
		Use:   "render MESSAGES.json",
		Short: "Show the prompt that a conversation becomes, as text and as ids",
		Long:  "Show the prompt that a conversation becomes. MESSAGES.json (- for standard input) holds a list of {\"role\": ..., \"content\": ...}, or an object with that list as \"messages\".",
		Args:  exactly(1, "a file of messages"),
		RunE: func(c *cobra.Command, args []string) error {
			msgs, err := readMessages(args[0], c.InOrStdin())
			if err != nil {
				return err
			}
			e, err := s.open(c.Context(), c.Flags(), c.ErrOrStderr())
			if err != nil {
				return err
			}
			defer e.Close()
			text, ids, err := e.Render(msgs, s.thinking())
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(map[string]any{"text": text, "tokens": ids})
			}
			fmt.Fprintf(cleaned{c.OutOrStdout()}, "%s\n\n%d tokens: %s\n", text, len(ids), joinIDs(ids))
			return nil
		},
	}
	s.modelFlags(c.Flags())
	c.Flags().StringVar(&s.think, "think", "auto", "let the model think first: auto, on or off")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func readMessages(path string, in io.Reader) ([]engine.Message, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(in)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	var msgs []engine.Message
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		var whole struct{ Messages []engine.Message }
		err = json.Unmarshal(data, &whole)
		msgs = whole.Messages
	} else {
		err = json.Unmarshal(data, &msgs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no list of messages in JSON: %w", path, err)
	}
	if len(msgs) == 0 {
		return nil, fmt.Errorf("%s: no messages in it", path)
	}
	return msgs, nil
}

func joinIDs(ids []int32) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(int(id))
	}
	return strings.Join(words, " ")
}
