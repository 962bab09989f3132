// Plays a target with the package: `play URL TOKEN ACTION…`; each action prints a line.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"minutehand"
)

type oddError struct{ text string }

func (e *oddError) Error() string { return e.text }

func main() {
	header := http.Header{}
	header.Set("Minutehand-Job", "demo/copy")
	header.Set("Minutehand-Run-Id", "20261120T080000Z")
	header.Set("Minutehand-Attempt", "2")
	header.Set("Minutehand-Attempts-Left", "3")
	header.Set("Minutehand-Deadline", "2026-11-20T15:00:00Z")
	header.Set("Minutehand-Callback-Url", os.Args[1])
	header.Set("Minutehand-Token", os.Args[2])
	answer, err := minutehand.FromHeaders(header)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answer.Backoff, answer.Every = time.Millisecond, 10*time.Millisecond
	for _, action := range os.Args[3:] {
		fmt.Println(play(answer, action))
	}
}

func play(answer *minutehand.LateAnswer, action string) string {
	result := map[string]any{
		"files": 5,
		"text":  "quote \" back \\ line\n tab\t low \u0001 é 😀 </b>",
		"list":  []any{1, 2.5, true, nil},
		"empty": map[string]int{},
		"none":  []int{},
	}
	odd := &oddError{"odd \x00\x1b[2J half \xed " + strings.Repeat("x", 5000)}
	ctx := context.Background()
	said := func(stop bool, err error) string {
		if err == nil && stop {
			return "stop"
		}
		return told(err, "go on")
	}
	switch action {
	case "about":
		return fmt.Sprint(answer.Job, " ", answer.RunID, " ", answer.Attempt, " ", answer.AttemptsLeft, " ", answer.Deadline.UnixMilli())
	case "progress":
		return said(answer.Progress(ctx, 40, "2 of 5 files"))
	case "text":
		return said(answer.Progress(ctx, -1, "3 of 5 files"))
	case "heartbeat":
		return said(answer.Heartbeat(ctx))
	case "succeeded":
		return told(answer.Succeeded(ctx, result), "done")
	case "failed":
		return told(answer.Failed(ctx, "DiskFull", "no room", "", map[string]int{"copied": 3}), "done")
	case "large":
		return told(answer.Succeeded(ctx, strings.Repeat("x", 300_000)), "done")
	case "work":
		return told(answer.Work(ctx, func(context.Context) (any, error) { return result, nil }), "done")
	case "break":
		if err := answer.Work(ctx, func(context.Context) (any, error) { return nil, odd }); err == error(odd) {
			return "raised"
		}
	case "wait":
		err := answer.Work(ctx, func(working context.Context) (any, error) {
			<-working.Done()
			return nil, nil
		})
		return told(err, "told")
	case "unwanted":
		return fmt.Sprint(answer.Unwanted())
	}
	return "no such action"
}

func told(err error, well string) string {
	var problem *minutehand.Problem
	switch {
	case err == nil:
		return well
	case errors.As(err, &problem):
		return fmt.Sprint(problem.Status, " ", problem.Type[strings.LastIndex(problem.Type, ":")+1:])
	default:
		return "error " + err.Error()
	}
}
