import dev.minutehand.LateAnswer;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Plays a target with the class: {@code java Play URL TOKEN ACTION…}; each action prints a line. */
final class Play {
    private static final Map<String, Object> RESULT = Map.of(
            "files", 5,
            "text", "quote \" back \\ line\n tab\t low \u0001 é 😀 </b>",
            "list", Arrays.asList(1, 2.5, true, null),
            "empty", Map.of(),
            "none", new Object[0]);

    private static final class OddError extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OddError() {
            super("odd \u0000\u001b[2J half \ud83d " + "x".repeat(5000));
        }
    }

    public static void main(String[] arguments) {
        Map<String, String> headers = new HashMap<>(Map.of(
                "Minutehand-Job", "demo/copy",
                "Minutehand-Run-Id", "20261120T080000Z",
                "Minutehand-Attempt", "2",
                "Minutehand-Attempts-Left", "3",
                "Minutehand-Deadline", "2026-11-20T15:00:00Z"));
        if (!arguments[0].isEmpty()) {
            headers.put("Minutehand-Callback-Url", arguments[0]);
        }
        if (!arguments[1].isEmpty()) {
            headers.put("Minutehand-Token", arguments[1]);
        }
        LateAnswer.Settings usual = LateAnswer.Settings.usual();
        LateAnswer.Settings quick = new LateAnswer.Settings(
                usual.http(), usual.timeout(), usual.retries(), Duration.ofMillis(1), Duration.ofMillis(10));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (LateAnswer answer = LateAnswer.fromHeaders(headers::get, quick)) {
            for (String action : List.of(arguments).subList(2, arguments.length)) {
                out.println(play(answer, action));
            }
        }
    }

    private static String play(LateAnswer answer, String action) {
        try {
            switch (action) {
                case "about" -> {
                    return String.join(" ", answer.job(), answer.runId(), "" + answer.attempt(), "" + answer.attemptsLeft(),
                            "" + answer.deadline().toEpochMilli());
                }
                case "progress" -> {
                    return answer.progress(40, "2 of 5 files") ? "stop" : "go on";
                }
                case "text" -> {
                    return answer.progress(null, "3 of 5 files") ? "stop" : "go on";
                }
                case "heartbeat" -> {
                    return answer.heartbeat() ? "stop" : "go on";
                }
                case "succeeded" -> answer.succeeded(RESULT);
                case "failed" -> answer.failed("DiskFull", "no room", "", Map.of("copied", 3));
                case "large" -> answer.succeeded("x".repeat(300_000));
                case "work" -> answer.work(() -> RESULT);
                case "break" -> answer.work(() -> {
                    throw new OddError();
                });
                case "wait" -> {
                    return answer.work(() -> {
                        while (!answer.unwanted()) {
                            Thread.sleep(1);
                        }
                        return "told";
                    });
                }
                case "unwanted" -> {
                    return "" + answer.unwanted();
                }
                default -> throw new IllegalArgumentException(action);
            }
            return "done";
        } catch (OddError odd) {
            return "raised";
        } catch (LateAnswer.Problem problem) {
            return problem.status() + " " + problem.type().substring(problem.type().lastIndexOf(':') + 1);
        } catch (Exception error) {
            return "error " + error.getMessage();
        }
    }
}
