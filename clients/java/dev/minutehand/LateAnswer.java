package dev.minutehand;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The target's side of an attempt of Minutehand that it answers later. One file on the standard library alone: copy it. Thread-safe.
 *
 * <pre>{@code
 * try (LateAnswer answer = LateAnswer.fromHeaders(request::getHeader)) {
 *     answer.work(() -> {
 *         for (int number = 0; number < files.size() && !answer.unwanted(); number++) {
 *             copy(files.get(number));
 *             answer.progress(100 * (number + 1) / files.size(), files.get(number));
 *         }
 *         return Map.of("files", files.size());
 *     });
 * }
 * }</pre>
 *
 * <p>Methods throw a {@link Problem} when the API refuses a report: 409 when the attempt has ended or was already reported; 400, 413
 * or 422 for an invalid report; 403 for a token of another attempt. They throw another IOException without an answer.
 */
public final class LateAnswer implements AutoCloseable {
    private static final Duration SELDOM = Duration.ofSeconds(30);
    private static final Duration OFTEN = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
    private static final int LONGEST_MESSAGE = 4000;
    private static final int LONGEST_STACK = 16_000;

    private final String url;
    private final String token;
    private final String job;
    private final String runId;
    private final int attempt;
    private final int attemptsLeft;
    private final Instant deadline;
    private final Settings settings;
    private volatile boolean unwanted;
    private volatile boolean reported;
    private final AtomicInteger reporting = new AtomicInteger();
    private Thread beats;

    /**
     * How messages are sent.
     *
     * @param http sends the messages; it must follow no redirects
     * @param timeout the wait for each answer
     * @param retries how often a message is sent again after a lost connection, a 429 or a 5xx
     * @param backoff the wait before the first repetition; the waits double up to 10 s, and are shortened at random
     * @param every the time between heartbeats; null for a third of the attempt's lease, from 1 to 30 s
     */
    public record Settings(HttpClient http, Duration timeout, int retries, Duration backoff, Duration every) {
        /** The default: 30 s, 6 retries, the first after 500 ms. */
        public static Settings usual() {
            HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
            return new Settings(http, Duration.ofSeconds(30), 6, Duration.ofMillis(500), null);
        }
    }

    /** An answer of the API that refuses a message (RFC 9457). */
    public static final class Problem extends IOException {
        private static final long serialVersionUID = 1L;
        private final int status;
        private final String type;
        private final boolean repeated;

        private Problem(int status, Map<?, ?> body, boolean repeated) {
            super("HTTP " + status + ": " + body.get("detail") + fields(body.get("errors")));
            this.status = status;
            this.type = body.get("type") instanceof String text ? text : "about:blank";
            this.repeated = repeated;
        }

        private static String fields(Object errors) {
            StringBuilder text = new StringBuilder();
            for (Object each : errors instanceof List<?> list ? list : List.of()) {
                if (each instanceof Map<?, ?> error) {
                    text.append("; ").append(error.get("path")).append(": ").append(error.get("message"));
                }
            }
            return text.toString();
        }

        /** The HTTP status. */
        public int status() {
            return status;
        }

        /** URI of the kind of problem. */
        public String type() {
            return type;
        }

        /** Whether the message was sent more than once: an earlier try may have arrived although its answer was lost. */
        public boolean repeated() {
            return repeated;
        }
    }

    private LateAnswer(Function<String, String> header, Settings settings) {
        this.settings = settings;
        this.url = header.apply("Minutehand-Callback-Url");
        this.token = header.apply("Minutehand-Token");
        if (url == null || token == null) {
            throw new IllegalArgumentException(
                    "the request cannot be answered later: it lacks the headers Minutehand-Callback-Url and Minutehand-Token; "
                            + "the job's target needs the mode auto or callback");
        }
        if (!url.matches("https?://[^/].*")) {
            throw new IllegalArgumentException("the header Minutehand-Callback-Url is \"" + url + "\", which is not a URL");
        }
        this.job = orElse(header.apply("Minutehand-Job"), "");
        this.runId = orElse(header.apply("Minutehand-Run-Id"), "");
        this.attempt = number("Minutehand-Attempt", header, 1);
        this.attemptsLeft = number("Minutehand-Attempts-Left", header, 0);
        String latest = header.apply("Minutehand-Deadline");
        try {
            this.deadline = latest == null ? null : Instant.parse(latest);
        } catch (DateTimeParseException error) {
            throw new IllegalArgumentException("the header Minutehand-Deadline is \"" + latest + "\", which is not an instant", error);
        }
    }

    /**
     * The late answer to a request.
     *
     * @param header the value of the header with a name, or null: {@code request::getHeader}, {@code headers::getFirst}
     * @throws IllegalArgumentException if the request does not allow a late answer
     */
    public static LateAnswer fromHeaders(Function<String, String> header) {
        return fromHeaders(header, Settings.usual());
    }

    /** As {@link #fromHeaders(Function)}, with other settings. */
    public static LateAnswer fromHeaders(Function<String, String> header, Settings settings) {
        return new LateAnswer(header, settings);
    }

    /** The job's full name. */
    public String job() {
        return job;
    }

    /** The run's id. */
    public String runId() {
        return runId;
    }

    /** The attempt's number, from 1. */
    public int attempt() {
        return attempt;
    }

    /** How many attempts remain after this one. */
    public int attemptsLeft() {
        return attemptsLeft;
    }

    /** When the attempt times out, unless its end was reported; null if the call did not say. */
    public Instant deadline() {
        return deadline;
    }

    /** Whether to stop: the run was cancelled, or the attempt has ended otherwise. Each answer of the API updates this. */
    public boolean unwanted() {
        return unwanted;
    }

    /** Send heartbeats from a background thread, until a report or {@link #close}. */
    public synchronized void start() {
        if (beats == null) {
            beats = new Thread(this::beat, "minutehand-heartbeats");
            beats.setDaemon(true);
            beats.start();
        }
    }

    /** Stop the heartbeats. */
    @Override
    public synchronized void close() {
        if (beats != null) {
            beats.interrupt();
        }
    }

    /**
     * Do a task with heartbeats, and report its result or its exception, which is then thrown on. Nothing is reported if the task
     * has reported itself, or the answer is unwanted.
     */
    public <T> T work(Callable<T> task) throws Exception {
        start();
        try {
            T result = task.call();
            if (!isOver()) {
                succeeded(result);
            }
            return result;
        } catch (Throwable error) {
            if (!isOver()) {
                tellOf(error);
            }
            throw error;
        } finally {
            close();
        }
    }

    /** Report success without a result. */
    public void succeeded() throws IOException, InterruptedException {
        succeeded(null);
    }

    /**
     * Report success with a result, at most 256 KiB, which is kept with the run.
     *
     * @param result null, a text, a number, a boolean, or a Map, Iterable or array of these
     */
    public void succeeded(Object result) throws IOException, InterruptedException {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("state", "succeeded");
        document.put("result", result);
        report(document);
    }

    /** Report failure. The type is one word, which the job's {@code retry_on} may name; the message is a sentence. */
    public void failed(String type, String message) throws IOException, InterruptedException {
        failed(type, message, "", null);
    }

    /** Report failure with a stack trace, which may be empty, and a result, as {@link #succeeded(Object)} takes it. */
    public void failed(String type, String message, String stack, Object result) throws IOException, InterruptedException {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("state", "failed");
        document.put("error", Map.of("type", type, "message", message, "stack", stack));
        document.put("result", result);
        report(document);
    }

    /** Report failure with an exception's type, message and stack trace. */
    public void failedWith(Throwable error) throws IOException, InterruptedException {
        StringWriter stack = new StringWriter();
        error.printStackTrace(new PrintWriter(stack));
        String message = plain(orElse(error.getMessage(), "no message"), LONGEST_MESSAGE);
        failed(word(error.getClass().getSimpleName()), message, plain(stack.toString(), LONGEST_STACK), null);
    }

    /**
     * Report progress, which counts as a heartbeat.
     *
     * @param percent 0 to 100, or null if it is not known
     * @param text a line for people, or null
     * @return whether to stop
     */
    public boolean progress(Integer percent, String text) throws IOException, InterruptedException {
        Map<String, Object> document = new LinkedHashMap<>();
        if (percent != null) {
            document.put("percent", percent);
        }
        if (text != null) {
            document.put("text", text);
        }
        send("/progress", document);
        return unwanted;
    }

    /** Send a heartbeat, which extends the attempt's lease; returns whether to stop. */
    public boolean heartbeat() throws IOException, InterruptedException {
        send("/heartbeat", Map.of());
        return unwanted;
    }

    private boolean isOver() {
        return unwanted || reported;
    }

    private void tellOf(Throwable error) {
        try {
            failedWith(error);
        } catch (IOException trouble) {
            error.addSuppressed(trouble);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void beat() {
        try {
            while (!isOver()) {
                Duration wait = settings.every();
                try {
                    Object lease = send("/heartbeat", Map.of()).get("lease_ms");
                    if (wait == null) {
                        wait = clamp(Duration.ofMillis(lease instanceof Number left ? left.longValue() / 3 : 0), OFTEN, SELDOM);
                    }
                } catch (IOException trouble) {
                    wait = wait == null || wait.compareTo(OFTEN) > 0 ? OFTEN : wait;
                }
                Thread.sleep(wait.toMillis());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void report(Map<String, Object> document) throws IOException, InterruptedException {
        reporting.incrementAndGet();
        try {
            send("/report", document);
            reported = true;
        } finally {
            reporting.decrementAndGet();
        }
        close();
    }

    private Map<?, ?> send(String path, Map<String, Object> document) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(settings.timeout())
                .header("Accept", "application/json")
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(Json.write(document)))
                .build();
        for (int tries = 1; ; tries++) {
            boolean more = tries <= settings.retries();
            HttpResponse<String> answer;
            try {
                answer = settings.http().send(request, HttpResponse.BodyHandlers.ofString());
            } catch (IOException lost) {
                if (!more) {
                    throw new IOException("the API at " + url + " cannot be reached: " + orElse(lost.getMessage(), lost.toString()), lost);
                }
                Thread.sleep(pause(tries, Duration.ZERO));
                continue;
            }
            if (!more || (answer.statusCode() != 429 && answer.statusCode() < 500)) {
                return read(path, answer, tries > 1);
            }
            String seconds = answer.headers().firstValue("Retry-After").filter(text -> text.matches("[0-9]{1,6}")).orElse("0");
            Thread.sleep(pause(tries, Duration.ofSeconds(Long.parseLong(seconds))));
        }
    }

    private Map<?, ?> read(String path, HttpResponse<String> answer, boolean repeated) throws IOException {
        int status = answer.statusCode();
        Map<?, ?> body = Json.read(answer.body()) instanceof Map<?, ?> found ? found : Map.of();
        if (status < 300 && body.get("cancel") instanceof Boolean cancel) {
            if (cancel) {
                unwanted = true;
            }
            return body;
        }
        if (status < 400 || !body.containsKey("title")) {
            String excerpt = answer.body().substring(0, Math.min(120, answer.body().length()));
            throw new IOException("the server at " + url + " does not speak Minutehand's API: HTTP " + status + ", " + excerpt);
        }
        if (status == 409 && repeated && path.equals("/report")) {
            return Map.of(); // an earlier try has reported, and its answer was lost
        }
        // A report on its way may end the attempt before heartbeats that were sent earlier arrive.
        boolean ours = !path.equals("/report") && (reporting.get() > 0 || reported);
        if (!ours && (status == 401 || status == 403 || status == 409)) {
            unwanted = true;
        }
        throw new Problem(status, body, repeated);
    }

    private long pause(int tries, Duration retryAfter) {
        double share = ThreadLocalRandom.current().nextDouble(0.5, 1);
        Duration backoff = Duration.ofMillis((long) (settings.backoff().toMillis() * Math.pow(2, tries - 1) * share));
        return clamp(backoff, retryAfter, LONGEST_WAIT).toMillis();
    }

    private static Duration clamp(Duration value, Duration least, Duration most) {
        Duration raised = value.compareTo(least) < 0 ? least : value;
        return raised.compareTo(most) > 0 ? most : raised;
    }

    private static String orElse(String text, String missing) {
        return text == null ? missing : text;
    }

    private static int number(String name, Function<String, String> header, int missing) {
        String text = header.apply(name);
        if (text != null && !text.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException("the header " + name + " is \"" + text + "\", which is not a whole number");
        }
        return text == null ? missing : Integer.parseInt(text);
    }

    /** A name as the type of an error: one word that the API accepts. */
    private static String word(String name) {
        String word = name.replaceAll("[^A-Za-z0-9_.]", "_");
        String begun = word.matches("[A-Za-z_].*") ? word : "_" + word;
        return begun.substring(0, Math.min(64, begun.length()));
    }

    /** A text without control characters and halves of surrogate pairs, which the API refuses. */
    private static String plain(String text, int longest) {
        String cut = text.substring(0, Math.min(longest, text.length()));
        return cut.replaceAll("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]|\\p{Cs}", " ");
    }

    /** The little JSON that messages and answers need. */
    static final class Json {
        private static final int DEEPEST = 100;
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        /** @throws IllegalArgumentException for a value that JSON cannot express */
        static String write(Object value) {
            StringBuilder out = new StringBuilder();
            write(value, out);
            return out.toString();
        }

        private static void write(Object value, StringBuilder out) {
            if (value == null || value instanceof Boolean) {
                out.append(value);
            } else if (value instanceof Number number) {
                if (!Double.isFinite(number.doubleValue()) && (number instanceof Double || number instanceof Float)) {
                    throw new IllegalArgumentException(number + " is not a number in JSON");
                }
                out.append(number);
            } else if (value instanceof CharSequence || value instanceof Character || value instanceof Enum<?>) {
                quote(value.toString(), out);
            } else if (value instanceof Map<?, ?> map) {
                String comma = "{";
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    quote(String.valueOf(entry.getKey()), out.append(comma));
                    write(entry.getValue(), out.append(':'));
                    comma = ",";
                }
                out.append(map.isEmpty() ? "{}" : "}");
            } else if (value instanceof Iterable<?> items) {
                String comma = "[";
                for (Object item : items) {
                    write(item, out.append(comma));
                    comma = ",";
                }
                out.append(comma.equals("[") ? "[]" : "]");
            } else if (value instanceof Object[] items) {
                write(java.util.Arrays.asList(items), out);
            } else {
                throw new IllegalArgumentException("JSON has no form for " + value.getClass().getName() + "; use a Map, a List or a text");
            }
        }

        private static void quote(String text, StringBuilder out) {
            out.append('"');
            for (int place = 0; place < text.length(); place++) {
                char each = text.charAt(place);
                if (each == '"' || each == '\\') {
                    out.append('\\').append(each);
                } else if (each < ' ' || Character.isSurrogate(each)) { // half a pair has no form in UTF-8
                    out.append(String.format("\\u%04x", (int) each));
                } else {
                    out.append(each);
                }
            }
            out.append('"');
        }

        /** The value of a JSON text (Map, List, String, Number, Boolean or null); null, too, if the text is no JSON. */
        static Object read(String text) {
            Json json = new Json(text);
            try {
                Object value = json.value(0);
                json.skip();
                return json.at == text.length() ? value : null;
            } catch (IllegalArgumentException | IndexOutOfBoundsException wrong) {
                return null;
            }
        }

        private Object value(int depth) {
            skip();
            char first = text.charAt(at);
            if (depth > DEEPEST) {
                throw new IllegalArgumentException("too deep");
            }
            return switch (first) {
                case '{' -> object(depth);
                case '[' -> array(depth);
                case '"' -> string();
                case 't' -> word("true", Boolean.TRUE);
                case 'f' -> word("false", Boolean.FALSE);
                case 'n' -> word("null", null);
                default -> number();
            };
        }

        private Map<String, Object> object(int depth) {
            Map<String, Object> found = new LinkedHashMap<>();
            at++;
            if (next('}')) {
                return found;
            }
            do {
                skip();
                String name = string();
                expect(':');
                found.put(name, value(depth + 1));
            } while (next(','));
            expect('}');
            return found;
        }

        private List<Object> array(int depth) {
            List<Object> found = new ArrayList<>();
            at++;
            if (next(']')) {
                return found;
            }
            do {
                found.add(value(depth + 1));
            } while (next(','));
            expect(']');
            return found;
        }

        private String string() {
            expect('"');
            StringBuilder found = new StringBuilder();
            for (char each = text.charAt(at++); each != '"'; each = text.charAt(at++)) {
                found.append(each == '\\' ? escaped(text.charAt(at++)) : each);
            }
            return found.toString();
        }

        private char escaped(char kind) {
            return switch (kind) {
                case '"', '\\', '/' -> kind;
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 't' -> '\t';
                case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), 16);
                default -> throw new IllegalArgumentException("no such escape");
            };
        }

        private Object number() {
            int start = at;
            while (at < text.length() && "+-.0123456789Ee".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return Double.valueOf(text.substring(start, at));
        }

        private Object word(String word, Object value) {
            if (!text.startsWith(word, at)) {
                throw new IllegalArgumentException("no such word");
            }
            at += word.length();
            return value;
        }

        private boolean next(char wanted) {
            skip();
            boolean found = at < text.length() && text.charAt(at) == wanted;
            at += found ? 1 : 0;
            return found;
        }

        private void expect(char wanted) {
            if (!next(wanted)) {
                throw new IllegalArgumentException("no " + wanted);
            }
        }

        private void skip() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }
    }
}
