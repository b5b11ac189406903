// The first call by Java, with nothing but what comes with it: one file, which `java` compiles itself.

import { endpoints, listening } from './addresses.js'
import type { SnippetFacts } from './facts.js'
import { hasSecret, type Language, preparation, running } from './language.js'
import { quoted } from './quoting.js'

/** Java, in one file. */
export function javaLanguage(facts: SnippetFacts): Language {
  const isTrusted = facts.authority === undefined
  const trust = isTrusted ? '' : '-Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=public '
  return {
    id: 'java',
    name: 'Java',
    needs: 'Java 17 or later (a JDK)',
    blocks: [
      ...preparation(facts, isTrusted ? [] : [trustStore]),
      { part: 'program', name: 'Main.java', text: program(facts) },
      running(facts, `java ${trust}Main.java`),
    ],
  }
}

const trustStore = `rm -f trust.p12
keytool -importcert -noprompt -alias portcullis -file ca.pem -keystore trust.p12 -storetype PKCS12 -storepass public`

function program(facts: SnippetFacts): string {
  const rest = facts.kind === 'server' ? asItself(facts) : forPeople(facts)
  return `${rest}

${sending}
}`
}

/** What all of them end with. */
const sending = `  /** The token of an answer of the server. There is a library for JSON in every project; here is none. */
  static String token(String form) throws Exception {
    var request = HttpRequest.newBuilder(TOKEN).header("Content-Type", "application/x-www-form-urlencoded");
    var answer = send(request.POST(HttpRequest.BodyPublishers.ofString(form)).build());
    var found = Pattern.compile("\\"access_token\\":\\"([^\\"]+)\\"").matcher(answer);
    if (!found.find()) throw new IOException(answer);
    return found.group(1);
  }

  static String call(String token) throws Exception {
    return send(HttpRequest.newBuilder(CALL).header("Authorization", "Bearer " + token).build());
  }

  static String send(HttpRequest request) throws Exception {
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 400) throw new IOException(answer.statusCode() + ": " + answer.body());
    return answer.body();
  }

  static String form(String... fields) {
    var pairs = new ArrayList<String>();
    for (int i = 0; i < fields.length; i += 2) {
      pairs.add(fields[i] + "=" + URLEncoder.encode(fields[i + 1], StandardCharsets.UTF_8));
    }
    return String.join("&", pairs);
  }`

const usual = [
  ...['java.io.IOException', 'java.net.URI', 'java.net.URLEncoder', 'java.nio.charset.StandardCharsets'],
  ...['java.net.http.HttpClient', 'java.net.http.HttpRequest', 'java.net.http.HttpResponse'],
  ...['java.util.ArrayList', 'java.util.regex.Pattern'],
]

const ofPeople = [
  ...['com.sun.net.httpserver.HttpExchange', 'com.sun.net.httpserver.HttpServer', 'java.net.InetSocketAddress'],
  ...['java.net.URLDecoder', 'java.security.MessageDigest', 'java.security.SecureRandom', 'java.util.Base64'],
  ...['java.util.HashMap', 'java.util.Map'],
]

function begun(facts: SnippetFacts, imports: readonly string[]): string {
  const lines = imports.toSorted().map((name) => `import ${name};`)
  return `${lines.join('\n')}

public class Main {
  static final URI TOKEN = URI.create("${endpoints(facts).token}");
  static final URI CALL = URI.create(${quoted(facts.call)});`
}

const secretField = '"client_secret", System.getenv("PORTCULLIS_CLIENT_SECRET")'

function asItself(facts: SnippetFacts): string {
  return `${begun(facts, usual)}

  public static void main(String[] arguments) throws Exception {
    System.out.println(call(token(form(
        "grant_type", "client_credentials",
        "client_id", "${facts.applicationId}",
        ${secretField},
        "requested_scopes", ${quoted(facts.scope)}))));
  }`
}

function forPeople(facts: SnippetFacts): string {
  const isWeb = facts.kind === 'web'
  const imports = [...usual, ...ofPeople, ...(isWeb ? [] : ['java.util.concurrent.CompletableFuture'])]
  const secret = hasSecret(facts) ? `,\n        ${secretField}` : ''
  return `${begun(facts, imports)}
  static final String CLIENT_ID = "${facts.applicationId}";

${isWeb ? webApplication(facts) : onThisMachine(facts)}

  static String begin(String redirectUri, String state, String verifier) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
    return "${endpoints(facts).authorize}?" + form(
        "response_type", "code",
        "client_id", CLIENT_ID,
        "redirect_uri", redirectUri,
        "requested_scopes", ${quoted(facts.scope)},
        "state", state,
        "code_challenge", Base64.getUrlEncoder().withoutPadding().encodeToString(digest),
        "code_challenge_method", "S256");
  }

  static String finish(String redirectUri, Map<String, String> back, String state, String verifier) throws Exception {
    if (state.isEmpty() || !state.equals(back.get("state"))) throw new IOException("This is not the answer to that sign-in.");
    if (!back.containsKey("code")) throw new IOException(back.getOrDefault("error_description", "There is no code."));
    return call(token(form(
        "grant_type", "authorization_code",
        "code", back.get("code"),
        "redirect_uri", redirectUri,
        "code_verifier", verifier,
        "client_id", CLIENT_ID${secret})));
  }

  static Map<String, String> query(HttpExchange exchange) {
    var fields = new HashMap<String, String>();
    var query = exchange.getRequestURI().getRawQuery();
    for (var pair : (query == null ? "" : query).split("&")) {
      var parts = pair.split("=", 2);
      if (parts.length == 2) fields.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return fields;
  }

  static void answer(HttpExchange exchange, int status, String text) throws IOException {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  static String random() {
    var bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }`
}

function onThisMachine(facts: SnippetFacts): string {
  const { host, port, path } = listening(facts)
  const registered = facts.redirect.loopback?.path ?? path
  return `  public static void main(String[] arguments) throws Exception {
    var server = HttpServer.create(new InetSocketAddress("${host}", ${port}), 0);
    var redirectUri = "http://${host}:" + server.getAddress().getPort() + ${quoted(registered)};
    var state = random();
    var verifier = random();
    var arrived = new CompletableFuture<Map<String, String>>();
    server.createContext("/", exchange -> {
      var back = query(exchange);
      var isBack = exchange.getRequestURI().getRawPath().equals(${quoted(path)}) && state.equals(back.get("state"));
      answer(exchange, isBack ? 200 : 404, isBack ? "You can close this window." : "There is nothing here.");
      if (isBack) arrived.complete(back);
    });
    server.start();
    System.out.println("Open in a browser: " + begin(redirectUri, state, verifier));
    var back = arrived.get();
    server.stop(0);
    System.out.println(finish(redirectUri, back, state, verifier));
  }`
}

function webApplication(facts: SnippetFacts): string {
  const { host, port, path } = listening(facts)
  return `  static final String REDIRECT_URI = ${quoted(facts.redirect.uri)};

  public static void main(String[] arguments) throws Exception {
    var server = HttpServer.create(new InetSocketAddress("${host}", ${port}), 0);
    server.createContext("/", exchange -> {
      try {
        serve(exchange);
      } catch (Exception error) {
        answer(exchange, 400, String.valueOf(error.getMessage()));
      }
    });
    server.start();
    System.out.println("Open in a browser: http://${host}:${port}/");
  }

  static void serve(HttpExchange exchange) throws Exception {
    var back = query(exchange);
    var path = exchange.getRequestURI().getRawPath();
    if (path.equals(${quoted(path)}) && back.containsKey("state")) {
      // What was begun is in the cookie of the browser that began it.
      var cookies = String.valueOf(exchange.getRequestHeaders().getFirst("Cookie"));
      var kept = Pattern.compile("(?:^|; )sign-in=([\\\\w-]+)\\\\.([\\\\w-]+)").matcher(cookies);
      var found = kept.find();
      answer(exchange, 200, finish(REDIRECT_URI, back, found ? kept.group(1) : "", found ? kept.group(2) : ""));
    } else if (path.equals("/")) {
      var state = random();
      var verifier = random();
      var cookie = "sign-in=" + state + "." + verifier + "; HttpOnly; SameSite=Lax; Path=/";
      exchange.getResponseHeaders().set("Set-Cookie", cookie);
      exchange.getResponseHeaders().set("Location", begin(REDIRECT_URI, state, verifier));
      answer(exchange, 302, "");
    } else {
      answer(exchange, 404, "There is nothing here.");
    }
  }`
}
