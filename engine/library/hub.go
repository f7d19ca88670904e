package library

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Hub is a server that keeps models in repositories: Hugging Face's, or one that
// answers like it. It is asked only when a person asks for it.
type Hub struct {
	endpoint *url.URL
	token    string
	client   *http.Client
	// pause is how long the first pause after a cut lasts, patience how long a
	// connection may stay silent.
	pause, patience time.Duration
}

const publicHub = "https://huggingface.co"

// NewHub makes the hub that the variables HF_ENDPOINT and HF_TOKEN describe.
func NewHub() (*Hub, error) {
	h := &Hub{token: strings.TrimSpace(os.Getenv("HF_TOKEN")), pause: time.Second, patience: time.Minute}
	where := os.Getenv("HF_ENDPOINT")
	if where == "" {
		where = publicHub
	}
	u, err := url.Parse(strings.TrimRight(where, "/"))
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("HF_ENDPOINT=%q is no address of a hub, such as %s", where, publicHub)
	}
	if h.token != "" && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("HF_ENDPOINT=%q has no encryption, and HF_TOKEN is set: use https, or unset the token", where)
	}
	h.endpoint = u
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression, t.ResponseHeaderTimeout = true, time.Minute
	h.client = &http.Client{Transport: guarded{h, t}, CheckRedirect: checkRedirect}
	return h, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// guarded adds the token to requests to the hub itself. A header set on the
// client's request could follow a redirect to another host; this one cannot.
type guarded struct {
	hub  *Hub
	next http.RoundTripper
}

func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	out.Header.Del("Authorization")
	out.Header.Set("User-Agent", "confab")
	if home := g.hub.endpoint; g.hub.token != "" && req.URL.Scheme == home.Scheme && req.URL.Host == home.Host {
		out.Header.Set("Authorization", "Bearer "+g.hub.token)
	}
	return g.next.RoundTrip(out)
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("it redirects without end")
	}
	if from := via[len(via)-1].URL; from.Scheme == "https" && req.URL.Scheme != "https" {
		return errors.New("it redirects to an address without encryption")
	}
	return nil
}

// contentType is a media type as a server names it, safe to print.
func contentType(resp *http.Response) string {
	t, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if t == "" || len(t) > 60 {
		return "of no known type"
	}
	return fmt.Sprintf("%q", t)
}

// get asks once. Errors of the client are stripped of the address, which may
// hold a signature.
func (h *Hub) get(ctx context.Context, address, byteRange string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if byteRange != "" {
		req.Header.Set("Range", byteRange)
	}
	resp, err := h.client.Do(req)
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return nil, fmt.Errorf("%s is not found: is this machine on the network?", d.Name)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("asking %s: %w", h.endpoint.Host, u.Err)
	}
	return resp, err
}

// refusal says what an answer that is no success means, and what cures it.
func (h *Hub) refusal(resp *http.Response, repo, file string) error {
	page := h.endpoint.String() + "/" + repo
	code := resp.Header.Get("X-Error-Code")
	switch s := resp.StatusCode; {
	case (code == "GatedRepo" || s == http.StatusForbidden) && h.token == "":
		return fmt.Errorf("%s is gated: accept its terms on %s, then set HF_TOKEN to a token of that account", repo, page)
	case code == "GatedRepo" || s == http.StatusForbidden:
		return fmt.Errorf("%s: the account of HF_TOKEN may not read it: accept its terms on %s, and check the token's rights", repo, page)
	case s == http.StatusUnauthorized && h.token != "" && code != "RepoNotFound":
		return fmt.Errorf("%s: %s does not accept the token in HF_TOKEN", repo, h.endpoint.Host)
	case s == http.StatusUnauthorized || s == http.StatusNotFound && file == "":
		return fmt.Errorf("%s is not on %s, or is private: check the spelling; for a private one set HF_TOKEN", repo, h.endpoint.Host)
	case s == http.StatusNotFound:
		return fmt.Errorf("%s: %s is gone from %s", repo, file, h.endpoint.Host)
	case s == http.StatusTooManyRequests:
		return fmt.Errorf("%s: %s asks to wait (too many requests): try again later, or set HF_TOKEN", repo, h.endpoint.Host)
	default:
		return fmt.Errorf("%s: %s answers %d %s", repo, h.endpoint.Host, s, http.StatusText(s))
	}
}
