package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// once makes one connection and takes what it brings.
func (d *download) once(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	from := ""
	if d.have > 0 {
		from = fmt.Sprintf("bytes=%d-", d.have)
	}
	resp, err := d.hub.get(ctx, d.address, from)
	if err != nil {
		return cut{err}
	}
	defer resp.Body.Close()
	if err := d.accept(resp); err != nil {
		return err
	}
	silent := time.AfterFunc(d.hub.patience, func() { cancel(fmt.Errorf("no bytes for %s", d.hub.patience)) })
	defer silent.Stop()
	err = d.take(resp.Body, func() { silent.Reset(d.hub.patience) })
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cut{cause}
	}
	return err
}

// accept judges an answer's head.
func (d *download) accept(resp *http.Response) error {
	want := d.file.Bytes - d.have
	switch s := resp.StatusCode; {
	case s == http.StatusPartialContent:
		if got, need := resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-%d/%d", d.have, d.file.Bytes-1, d.file.Bytes); got != need {
			return fmt.Errorf("asked for %s, the server sends %.60q", need, got)
		}
	case s == http.StatusOK:
		if err := d.restart(); err != nil { // it sends the whole file, wanted or not
			return err
		}
		want = d.file.Bytes
	case s == http.StatusRequestedRangeNotSatisfiable && d.have > 0:
		return errors.Join(d.restart(), cut{errors.New("the server does not go on where it was cut")})
	case s == http.StatusTooManyRequests || s >= 500:
		return cut{d.hub.refusal(resp, d.repo, d.file.Path)}
	default:
		return d.hub.refusal(resp, d.repo, d.file.Path)
	}
	if t := resp.Header.Get("Content-Type"); strings.HasPrefix(t, "text/html") {
		return fmt.Errorf("the server sends a web page instead of the file: check HF_ENDPOINT, and whether the network wants a login")
	}
	if n := resp.ContentLength; n >= 0 && n != want {
		return fmt.Errorf("%d bytes are wanted, the server announces %d", want, n)
	}
	if d.file.SHA256 == "" {
		d.file.SHA256 = etag(resp)
	}
	return nil
}

// etag is the SHA-256 that an answer, or a redirect on the way to it, names.
func etag(resp *http.Response) string {
	for r := resp; r != nil; r = r.Request.Response {
		for _, name := range []string{"X-Linked-Etag", "Etag"} {
			if v := strings.Trim(strings.TrimPrefix(r.Header.Get(name), "W/"), `"`); sha256Hash.MatchString(v) {
				return v
			}
		}
	}
	return ""
}

// take appends a body to the file, never more than the file's size.
func (d *download) take(body io.Reader, alive func()) error {
	buf := make([]byte, 1<<18)
	for {
		n, err := body.Read(buf)
		alive()
		if d.have+int64(n) > d.file.Bytes {
			return fmt.Errorf("the server sends more than the %d bytes of its listing", d.file.Bytes)
		}
		if _, werr := d.out.Write(buf[:n]); werr != nil {
			return d.full(werr)
		}
		d.sum.Write(buf[:n])
		d.have += int64(n)
		d.report(d.have, false)
		if err == io.EOF && d.have == d.file.Bytes {
			return nil
		} else if err != nil {
			return cut{fmt.Errorf("the connection ended: %w", err)}
		}
	}
}

// full adds the numbers where the disk has no room left.
func (d *download) full(err error) error {
	if free, ok := freeBytes(d.root.Name()); ok && errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%s still to come, and %s are free in %s: make room; what is there stays: %w", Size(d.file.Bytes-d.have), Size(free), d.root.Name(), err)
	}
	return err
}
