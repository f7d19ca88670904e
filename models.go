package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/confab-tui/confab/engine/builtin"
	"github.com/confab-tui/confab/engine/library"
)

func modelsCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	c := &cobra.Command{
		Use:   "models",
		Short: "List the models found on this machine",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.resolve(c.Flags()); err != nil {
				return err
			}
			found := library.Find(s.places())
			if asJSON {
				return listJSON(c, found)
			}
			w := tabwriter.NewWriter(cleaned{c.OutOrStdout()}, 0, 0, 3, ' ', 0)
			fmt.Fprintf(w, "NAME\tKIND\tSIZE\tFROM\nbuiltin\tllama Q8_0\t%s\t%s\n", library.Size(int64(len(builtin.Model()))), "confab itself")
			for _, m := range found {
				kind := m.Arch + " " + m.Quant
				if m.Err != nil {
					kind = "unreadable"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", m.Name, kind, library.Size(m.Bytes), m.Source)
			}
			return w.Flush()
		},
	}
	c.Flags().StringSliceVar(&s.folders, "models-folder", nil, "more folders to look for models in")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

func listJSON(c *cobra.Command, found []library.Model) error {
	enc := json.NewEncoder(c.OutOrStdout())
	for _, m := range found {
		line := map[string]any{"name": m.Name, "path": m.Path, "source": m.Source, "arch": m.Arch, "quant": m.Quant, "bytes": m.Bytes, "parts": m.Parts}
		if m.Err != nil {
			line["error"] = m.Err.Error()
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
