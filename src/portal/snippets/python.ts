// The first call by Python, with nothing but what comes with it.

import { endpoints, listening } from './addresses.js'
import type { SnippetFacts } from './facts.js'
import { hasSecret, type Language, preparation, running } from './language.js'
import { quoted } from './quoting.js'

/** Python, in one file. */
export function pythonLanguage(facts: SnippetFacts): Language {
  const trust = facts.authority === undefined ? '' : 'SSL_CERT_FILE=ca.pem '
  return {
    id: 'python',
    name: 'Python',
    needs: 'Python 3.8 or later',
    blocks: [
      ...preparation(facts, []),
      { part: 'program', name: 'main.py', text: program(facts) },
      running(facts, `${trust}python3 main.py`),
    ],
  }
}

function program(facts: SnippetFacts): string {
  if (facts.kind === 'server') return asItself(facts)
  return facts.kind === 'web' ? webApplication(facts) : onThisMachine(facts)
}

const sending = `def send(request, form=None):
    try:
        with urllib.request.urlopen(request, form and urllib.parse.urlencode(form).encode()) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refusal:
        raise RuntimeError(f"{refusal.code}: {refusal.read().decode()}") from None`

const secretLine = '"client_secret": os.environ["PORTCULLIS_CLIENT_SECRET"],'

function calling({ call }: SnippetFacts): string {
  return `send(urllib.request.Request(${quoted(call)}, headers={"Authorization": f"Bearer {token}"}))`
}

function asItself(facts: SnippetFacts): string {
  return `import json, os, urllib.error, urllib.parse, urllib.request

${sending}

token = json.loads(send("${endpoints(facts).token}", {
    "grant_type": "client_credentials",
    "client_id": "${facts.applicationId}",
    ${secretLine}
    "requested_scopes": ${quoted(facts.scope)},
}))["access_token"]
print(${calling(facts)})`
}

/** `begin` and `finish`, which both kinds of program for people have. */
function functions(facts: SnippetFacts): string {
  const { authorize, token } = endpoints(facts)
  return `${sending}

def begin(redirect_uri):
    state, verifier = secrets.token_urlsafe(16), secrets.token_urlsafe(32)
    digest = hashlib.sha256(verifier.encode()).digest()
    query = urllib.parse.urlencode({
        "response_type": "code",
        "client_id": "${facts.applicationId}",
        "redirect_uri": redirect_uri,
        "requested_scopes": ${quoted(facts.scope)},
        "state": state,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    })
    return state, verifier, f"${authorize}?{query}"

def finish(redirect_uri, back, state, verifier):
    if back.get("state") != state:
        raise RuntimeError("This is not the answer to that sign-in.")
    if "code" not in back:
        raise RuntimeError(back.get("error_description", "There is no code."))
    token = json.loads(send("${token}", {
        "grant_type": "authorization_code",
        "code": back["code"],
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
        "client_id": "${facts.applicationId}",${hasSecret(facts) ? `\n        ${secretLine}` : ''}
    }))["access_token"]
    return ${calling(facts)}`
}

const arriving = `        url = urllib.parse.urlsplit(self.path)
        back = dict(urllib.parse.parse_qsl(url.query))`

function onThisMachine(facts: SnippetFacts): string {
  const { host, port, path } = listening(facts)
  const registered = facts.redirect.loopback?.path ?? path
  return `import base64, hashlib, http.server, json, queue, secrets, threading
import urllib.error, urllib.parse, urllib.request

${functions(facts)}

class Listener(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
${arriving}
        is_back = url.path == ${quoted(path)} and back.get("state") == state
        self.send_response(200 if is_back else 404)
        self.end_headers()
        self.wfile.write(b"You can close this window." if is_back else b"There is nothing here.")
        if is_back:
            arrived.put(back)

    def log_message(self, *_):
        pass

arrived = queue.SimpleQueue()
# Each connection has a thread of its own: browsers open some that they do not use.
server = http.server.ThreadingHTTPServer((${quoted(host)}, ${port}), Listener)
threading.Thread(target=server.serve_forever, daemon=True).start()
redirect_uri = f"http://${host}:{server.server_port}" + ${quoted(registered)}
state, verifier, url = begin(redirect_uri)
print("Open in a browser:", url, flush=True)
print(finish(redirect_uri, arrived.get(), state, verifier))`
}

function webApplication(facts: SnippetFacts): string {
  const { host, port, path } = listening(facts)
  return `import base64, hashlib, http.cookies, http.server, json, os, secrets
import urllib.error, urllib.parse, urllib.request

redirect_uri = ${quoted(facts.redirect.uri)}

${functions(facts)}

class Application(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
${arriving}
        if url.path == ${quoted(path)} and "state" in back:
            # What was begun is in the cookie of the browser that began it.
            cookies = http.cookies.SimpleCookie(self.headers.get("Cookie", ""))
            state, _, verifier = cookies["sign-in"].value.partition(".") if "sign-in" in cookies else ("", "", "")
            try:
                self.answer(200, finish(redirect_uri, back, state, verifier))
            except RuntimeError as error:
                self.answer(400, str(error))
        elif url.path == "/":
            state, verifier, location = begin(redirect_uri)
            cookie = f"sign-in={state}.{verifier}; HttpOnly; SameSite=Lax; Path=/"
            self.answer(302, "", {"Location": location, "Set-Cookie": cookie})
        else:
            self.answer(404, "There is nothing here.")

    def answer(self, status, text, fields={}):
        self.send_response(status)
        for name, value in {"Content-Type": "text/plain; charset=utf-8", **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer((${quoted(host)}, ${port}), Application)
print("Open in a browser: http://${host}:${port}/", flush=True)
server.serve_forever()`
}
