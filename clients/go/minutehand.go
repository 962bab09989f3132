// Package minutehand is for targets of Minutehand whose work outlasts the call: they report progress and the result later.
//
// It is one file on the standard library alone: copy it.
package minutehand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	seldom         = 30 * time.Second // maximum default interval of heartbeats; a target learns of a cancel by its next one
	often          = time.Second      // minimum default interval; also the wait after a heartbeat that failed
	longestWait    = 10 * time.Second // between two tries
	longestMessage = 4000             // characters of an error's message
	longestStack   = 16000            // characters of a stack trace
)

// LateAnswer is the target's side of an attempt that it answers later. Its methods may be called from several goroutines.
//
// They return a *Problem when the API refuses a report: 409 when the attempt has ended or was already reported; 400, 413 or 422
// for an invalid report; 403 for a token of another attempt.
type LateAnswer struct {
	Job          string // full name: namespace/name
	RunID        string
	Attempt      int       // from 1
	AttemptsLeft int       // how many remain after this one
	Deadline     time.Time // when the attempt times out, unless its end was reported; zero if the call did not say

	// The following may be changed before the first call.

	HTTPClient *http.Client  // by default one that waits 30 s for an answer
	Retries    int           // how often a message is sent again after a lost connection, a 429 or a 5xx; 6 by default
	Backoff    time.Duration // before the first repetition; 500 ms by default. The waits double, and are shortened at random
	Every      time.Duration // between heartbeats; by default a third of the attempt's lease, from 1 to 30 s

	url, token string

	mutex              sync.Mutex
	unwanted, reported bool
	reporting          int           // reports on their way: they may end the attempt before heartbeats that were sent earlier arrive
	ended              chan struct{} // closed when the answer is reported or unwanted
}

// Problem is an answer of the API that refuses a message (RFC 9457).
type Problem struct {
	Status int          `json:"status"`
	Type   string       `json:"type"` // URI of the kind of problem
	Title  string       `json:"title"`
	Detail string       `json:"detail"`
	Errors []FieldError `json:"errors"`
	// Repeated says that the message was sent more than once: an earlier try may have arrived although its answer was lost.
	Repeated bool `json:"-"`
}

// FieldError is what is wrong with one field of a message.
type FieldError struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func (p *Problem) Error() string {
	text := p.Detail
	for _, field := range p.Errors {
		text += fmt.Sprintf("; %s: %s", field.Path, field.Message)
	}
	return fmt.Sprintf("minutehand: HTTP %d: %s", p.Status, text)
}

type standing struct {
	Cancel  *bool    `json:"cancel"`
	LeaseMS *float64 `json:"lease_ms"`
}

// FromHeaders returns the late answer to the request with these headers, or an error if the request does not allow one.
func FromHeaders(header http.Header) (*LateAnswer, error) {
	a := &LateAnswer{
		Job:        header.Get("Minutehand-Job"),
		RunID:      header.Get("Minutehand-Run-Id"),
		HTTPClient: &http.Client{Timeout: 30 * time.Second},
		Retries:    6,
		Backoff:    500 * time.Millisecond,
		url:        strings.TrimRight(header.Get("Minutehand-Callback-Url"), "/"),
		token:      header.Get("Minutehand-Token"),
		ended:      make(chan struct{}),
	}
	if a.url == "" || a.token == "" {
		return nil, errors.New("minutehand: the request cannot be answered later: it lacks the headers Minutehand-Callback-Url and " +
			"Minutehand-Token; the job's target needs the mode auto or callback")
	}
	if parsed, err := url.Parse(a.url); err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, fmt.Errorf("minutehand: the header Minutehand-Callback-Url is %q, which is not a URL", a.url)
	}
	var err error
	if a.Attempt, err = number(header, "Minutehand-Attempt", 1); err != nil {
		return nil, err
	}
	if a.AttemptsLeft, err = number(header, "Minutehand-Attempts-Left", 0); err != nil {
		return nil, err
	}
	if text := header.Get("Minutehand-Deadline"); text != "" {
		if a.Deadline, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, fmt.Errorf("minutehand: the header Minutehand-Deadline is %q, which is not an instant", text)
		}
	}
	return a, nil
}

// Unwanted tells whether to stop: the run was cancelled, or the attempt has ended otherwise. Each answer of the API updates it.
func (a *LateAnswer) Unwanted() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.unwanted
}

// Start sends heartbeats in the background until a report, or until stop is called. The context that it returns is done when the
// answer becomes unwanted.
func (a *LateAnswer) Start(ctx context.Context) (working context.Context, stop context.CancelFunc) {
	working, stop = context.WithCancel(ctx)
	go a.beat(working)
	go func() {
		select {
		case <-working.Done():
		case <-a.ended:
			if a.Unwanted() {
				stop()
			}
		}
	}()
	return working, stop
}

// Work does a task with heartbeats, and reports its result or its error, which it returns. A panic is reported too. Work reports
// nothing if the task has reported itself, or the answer is unwanted.
func (a *LateAnswer) Work(ctx context.Context, task func(context.Context) (result any, err error)) error {
	working, stop := a.Start(ctx)
	defer stop()
	defer func() {
		if reason := recover(); reason != nil {
			text, stack := plain(fmt.Sprint(reason), longestMessage), plain(string(debug.Stack()), longestStack)
			_ = a.Failed(ctx, "Panic", text, stack, nil) // the panic matters more
			panic(reason)
		}
	}()
	result, err := task(working)
	if a.isOver() {
		return err
	}
	if err == nil {
		if err = a.Succeeded(ctx, result); err == nil {
			return nil
		}
	}
	if !a.isOver() {
		_ = a.FailedWith(ctx, err) // the error of the work matters more
	}
	return err
}

// Succeeded reports success. The result is any value that encoding/json can write, at most 256 KiB, and is kept with the run.
func (a *LateAnswer) Succeeded(ctx context.Context, result any) error {
	return a.report(ctx, map[string]any{"state": "succeeded", "result": result})
}

// Failed reports failure. The kind is one word, which the job's retry_on may name; the message is a sentence; stack and result
// may be empty.
func (a *LateAnswer) Failed(ctx context.Context, kind, message, stack string, result any) error {
	reason := map[string]string{"type": kind, "message": message}
	if stack != "" {
		reason["stack"] = stack
	}
	return a.report(ctx, map[string]any{"state": "failed", "error": reason, "result": result})
}

// FailedWith reports failure with the type and the text of an error.
func (a *LateAnswer) FailedWith(ctx context.Context, err error) error {
	return a.Failed(ctx, word(strings.TrimLeft(fmt.Sprintf("%T", err), "*")), plain(err.Error(), longestMessage), "", nil)
}

// Progress reports progress, 0 to 100, with a line of text, which may be empty; with a negative percentage, only the text. It
// counts as a heartbeat, and returns whether to stop.
func (a *LateAnswer) Progress(ctx context.Context, percent int, text string) (stop bool, err error) {
	document := map[string]any{}
	if percent >= 0 {
		document["percent"] = percent
	}
	if text != "" {
		document["text"] = text
	}
	_, err = a.send(ctx, "/progress", document)
	return a.Unwanted(), err
}

// Heartbeat extends the attempt's lease, and returns whether to stop.
func (a *LateAnswer) Heartbeat(ctx context.Context) (stop bool, err error) {
	_, err = a.send(ctx, "/heartbeat", map[string]any{})
	return a.Unwanted(), err
}

func (a *LateAnswer) beat(ctx context.Context) {
	for !a.isOver() {
		found, err := a.send(ctx, "/heartbeat", map[string]any{})
		wait := a.Every
		switch {
		case err != nil && (wait == 0 || wait > often):
			wait = often
		case wait == 0 && found.LeaseMS != nil:
			wait = time.Duration(*found.LeaseMS/3) * time.Millisecond
		}
		if a.Every == 0 {
			wait = clamp(wait, often, seldom)
		}
		if !a.pause(ctx, wait) {
			return
		}
	}
}

// pause waits, and returns false if the answer is over or the context done.
func (a *LateAnswer) pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-a.ended:
		return false
	case <-timer.C:
		return true
	}
}

func (a *LateAnswer) report(ctx context.Context, document any) error {
	a.setReporting(+1)
	_, err := a.send(ctx, "/report", document)
	if err == nil {
		a.end(&a.reported)
	}
	a.setReporting(-1)
	return err
}

func (a *LateAnswer) send(ctx context.Context, path string, document any) (standing, error) {
	var found standing
	body, err := json.Marshal(document)
	if err != nil {
		return found, fmt.Errorf("minutehand: %w", err)
	}
	status, answer, repeated, err := a.exchange(ctx, path, body)
	if err != nil {
		return found, err
	}
	if status < 300 && json.Unmarshal(answer, &found) == nil && found.Cancel != nil {
		if *found.Cancel {
			a.end(&a.unwanted)
		}
		return found, nil
	}
	problem := &Problem{Type: "about:blank"}
	if status < 400 || json.Unmarshal(answer, problem) != nil || problem.Title == "" {
		return found, fmt.Errorf("minutehand: the server at %s does not speak Minutehand's API: HTTP %d, %.120q", a.url, status, answer)
	}
	problem.Status, problem.Repeated = status, repeated
	switch {
	case status == http.StatusConflict && path == "/report" && repeated:
		return found, nil // an earlier try has reported, and its answer was lost
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusConflict:
		a.refuse(path)
	}
	return found, problem
}

// exchange sends a message, again where that may help, and returns the status and the body of the answer.
func (a *LateAnswer) exchange(ctx context.Context, path string, body []byte) (status int, answer []byte, repeated bool, err error) {
	client := *a.HTTPClient
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for try := 0; ; try++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+path, bytes.NewReader(body))
		if err != nil {
			return 0, nil, false, fmt.Errorf("minutehand: %w", err)
		}
		request.Header.Set("Accept", "application/json")
		request.Header.Set("Authorization", "Bearer "+a.token)
		request.Header.Set("Content-Type", "application/json")
		var retryAfter time.Duration
		response, err := client.Do(request)
		if err == nil {
			status = response.StatusCode
			seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			retryAfter = time.Duration(seconds) * time.Second
			answer, err = io.ReadAll(response.Body)
			_ = response.Body.Close()
		}
		busy := status == http.StatusTooManyRequests || status >= 500
		if err == nil && (!busy || try >= a.Retries) {
			return status, answer, try > 0, nil
		}
		if try >= a.Retries || ctx.Err() != nil {
			return 0, nil, false, fmt.Errorf("minutehand: the API cannot be reached: %w", err)
		}
		if err := sleep(ctx, clamp(a.backoff(try), retryAfter, longestWait)); err != nil {
			return 0, nil, false, fmt.Errorf("minutehand: %w", err)
		}
	}
}

func (a *LateAnswer) backoff(try int) time.Duration {
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	return time.Duration(float64(a.Backoff) * float64(int(1)<<try) * (0.5 + random.Float64()/2))
}

func (a *LateAnswer) isOver() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.unwanted || a.reported
}

// end sets one of the flags that end the answer.
func (a *LateAnswer) end(flag *bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if !a.unwanted && !a.reported {
		close(a.ended)
	}
	*flag = true
}

// refuse notes that the attempt is over, unless that may be the effect of a report.
func (a *LateAnswer) refuse(path string) {
	a.mutex.Lock()
	ours := path != "/report" && (a.reporting > 0 || a.reported)
	a.mutex.Unlock()
	if !ours {
		a.end(&a.unwanted)
	}
}

func (a *LateAnswer) setReporting(change int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.reporting += change
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func clamp(value, least, most time.Duration) time.Duration {
	if value < least {
		value = least
	}
	if value > most {
		value = most
	}
	return value
}

func number(header http.Header, name string, missing int) (int, error) {
	text := header.Get(name)
	if text == "" {
		return missing, nil
	}
	found, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("minutehand: the header %s is %q, which is not a whole number", name, text)
	}
	return int(found), nil
}

var oddInWord = regexp.MustCompile(`[^A-Za-z0-9_.]`)

// word makes a name into the type of an error: one word that the API accepts.
func word(name string) string {
	found := oddInWord.ReplaceAllString(name, "_")
	if found == "" || strings.Contains("0123456789.", found[:1]) {
		found = "_" + found
	}
	if len(found) > 64 {
		found = found[:64]
	}
	return found
}

// plain cuts a text, and replaces its control characters, which the API refuses.
func plain(text string, longest int) string {
	runes := []rune(strings.ToValidUTF8(text, " "))
	if len(runes) > longest {
		runes = runes[:longest]
	}
	for place, each := range runes {
		if (each < ' ' && each != '\t' && each != '\n') || (each >= 0x7f && each <= 0x9f) {
			runes[place] = ' '
		}
	}
	return string(runes)
}
