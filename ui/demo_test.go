package ui

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/confab-tui/confab/engine"
	"github.com/confab-tui/confab/engine/library"
)

// TestDemo runs the program on the terminal with the scripted engine:
//
//	CONFAB_UI_DEMO=1 go test ./ui -run TestDemo
//
// to look at it. The folder in CONFAB_UI_DEMO_DATA keeps its conversations.
func TestDemo(t *testing.T) {
	if os.Getenv("CONFAB_UI_DEMO") == "" {
		t.Skip("CONFAB_UI_DEMO is not set")
	}
	f := newFake(&clock{})
	f.script = demoReply
	o := Options{
		Version: "demo",
		Open: func(_ context.Context, c engine.Config, progress func(engine.Progress)) (Engine, error) {
			for i := range int64(20) {
				progress(engine.Progress{Stage: "weights", Done: i * 184 << 20, Total: 20 * 184 << 20})
				time.Sleep(40 * time.Millisecond)
			}
			if strings.Contains(c.Model, "70b") {
				return nil, errors.New("needs 42.5 GiB for weights and cells, 18.9 free: choose a smaller model, or lower engine.cells")
			}
			return f, nil
		},
		Models:  func() []library.Model { return demoModels },
		DataDir: os.Getenv("CONFAB_UI_DEMO_DATA"),
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

type modelFile = library.Model

var demoModels = []library.Model{
	{Path: "/m/qwen3-8b.gguf", Name: "qwen3:8b", Source: "ollama", Arch: "qwen3", Quant: "Q4_K_M", Bytes: 5_030_000_000, Parts: 1},
	{Path: "/m/llama-1b.gguf", Name: "llama3.2:1b", Source: "ollama", Arch: "llama", Quant: "Q8_0", Bytes: 1_320_000_000, Parts: 1},
	{Path: "/m/llama-70b.gguf", Name: "Llama-3.3-70B-Instruct-Q4_K_M", Source: "Hugging Face", Arch: "llama", Quant: "Q4_K_M", Bytes: 42_520_000_000, Parts: 2},
	{Path: "/m/broken.gguf", Name: "half-loaded", Source: "Hugging Face", Bytes: 5_550_000, Err: errors.New("half-loaded.gguf: ends inside the tensor directory")},
}

func demoReply(req engine.Request) reply {
	last := strings.ToLower(req.Messages[len(req.Messages)-1].Content)
	switch {
	case strings.Contains(last, "think"):
		return reply{thinking: strings.Repeat("Let me see what the person wants to know here. It could be one thing, or another.\n", 12), text: "The answer is **42**.", reason: engine.ReasonStop}
	case strings.Contains(last, "wait"):
		return reply{text: poem, reason: engine.ReasonStop, waitAt: 8, waitFor: 3 * time.Second}
	case strings.Contains(last, "fail"):
		return reply{text: "It began", reason: engine.ReasonError, err: errors.New("cuda: out of memory: cells need 21.4 GiB, 18.9 free: lower engine.cells to 90000")}
	case strings.Contains(last, "code"):
		return reply{text: demoMarkdown, reason: engine.ReasonStop}
	case strings.Contains(last, "long"):
		return reply{text: strings.Repeat(demoMarkdown+"\n\n", 12), reason: engine.ReasonStop}
	}
	return reply{text: poem, reason: engine.ReasonStop}
}

const demoMarkdown = "## A small server\n\nHere is how to *serve* a folder over **HTTP** in Go. The standard library does the work, so the program stays short:\n\n" +
	"```go\npackage main\n\nimport (\n\t\"log\"\n\t\"net/http\"\n)\n\nfunc main() {\n\thttp.Handle(\"/\", http.FileServer(http.Dir(\".\")))\n\tlog.Fatal(http.ListenAndServe(\":8080\", nil)) // blocks\n}\n```\n\n" +
	"1. Save it as `main.go`.\n2. Run `go run .`\n3. Open <http://localhost:8080>.\n\n| flag | meaning |\n| --- | --- |\n| `-v` | more words |\n| `-q` | fewer words |\n"
