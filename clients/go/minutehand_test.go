package minutehand

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// service records what it is sent, and gives one scripted answer after another, then the last one again.
type service struct {
	mutex   sync.Mutex
	answers []string
	sent    []string
}

const (
	goOn = `200 {"state": "waiting", "cancel": false, "lease_ms": 90000}`
	over = `409 {"title": "Conflict with the current state", "status": 409, "type": "conflict", "detail": "the attempt is over"}`
)

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.sent = append(s.sent, strings.TrimPrefix(r.URL.Path, "/callback")+" "+string(body))
	status, text, _ := strings.Cut(s.answers[0], " ")
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	w.WriteHeader(map[string]int{"200": 200, "409": 409, "422": 422, "503": 503}[status])
	_, _ = io.WriteString(w, text)
}

func (s *service) reports() (found []string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, each := range s.sent {
		if strings.HasPrefix(each, "/report ") {
			found = append(found, each)
		}
	}
	return found
}

func answerTo(t *testing.T, answers ...string) (*LateAnswer, *service) {
	t.Helper()
	s := &service{answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	header := http.Header{}
	header.Set("Minutehand-Callback-Url", server.URL+"/callback")
	header.Set("Minutehand-Token", "secret")
	answer, err := FromHeaders(header)
	if err != nil {
		t.Fatal(err)
	}
	answer.Backoff, answer.Every = time.Millisecond, time.Hour
	return answer, s
}

func TestHeadersThatCannotBeReadAreNamed(t *testing.T) {
	for name, text := range map[string]string{
		"Minutehand-Callback-Url": "ftp://elsewhere",
		"Minutehand-Attempt":      "second",
		"Minutehand-Deadline":     "tomorrow",
	} {
		header := http.Header{}
		header.Set("Minutehand-Callback-Url", "https://example.com/callback")
		header.Set("Minutehand-Token", "secret")
		header.Set(name, text)
		if _, err := FromHeaders(header); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %q: %v", name, text, err)
		}
	}
}

func TestARefusalNamesTheWrongFields(t *testing.T) {
	answer, _ := answerTo(t, `422 {"title": "Invalid fields", "detail": "no", "errors": [{"path": "percent", "message": "is over 100"}]}`)
	_, err := answer.Progress(context.Background(), 101, "")
	var problem *Problem
	if !errors.As(err, &problem) || problem.Status != 422 || problem.Errors[0].Path != "percent" {
		t.Fatal(err)
	}
	if !strings.Contains(err.Error(), "percent: is over 100") {
		t.Error(err)
	}
}

func TestAMessageThatIsNoLongerWantedBySomebodyIsGivenUp(t *testing.T) {
	answer, _ := answerTo(t, "503 busy")
	answer.Backoff = time.Hour
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer stop()
	if _, err := answer.Heartbeat(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestTheContextOfTheWorkEndsWhenAnyMessageFindsTheAnswerUnwanted(t *testing.T) {
	answer, _ := answerTo(t, goOn, over)
	working, stop := answer.Start(context.Background())
	defer stop()
	for !answer.Unwanted() {
		_, _ = answer.Progress(working, 40, "")
	}
	<-working.Done()
}

func TestAPanicIsReportedAndGoesOn(t *testing.T) {
	answer, s := answerTo(t, goOn)
	defer func() {
		if recover() != "broken" {
			t.Error("the panic did not go on")
		}
		found := s.reports()
		if len(found) != 1 || !strings.Contains(found[0], `"type":"Panic"`) || !strings.Contains(found[0], "broken") {
			t.Error(found)
		}
	}()
	_ = answer.Work(context.Background(), func(context.Context) (any, error) { panic("broken") })
}

func TestATaskThatHasReportedIsReportedOnce(t *testing.T) {
	answer, s := answerTo(t, goOn)
	ctx := context.Background()
	err := answer.Work(ctx, func(context.Context) (any, error) {
		return nil, answer.Failed(ctx, "Empty", "nothing to copy", "", nil)
	})
	if found := s.reports(); err != nil || len(found) != 1 {
		t.Error(err, found)
	}
}
