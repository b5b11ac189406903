// The first call by Go, with golang.org/x/oauth2, which everybody uses there. What only development needs is a file of
// its own, so that main.go is the one for production.

import { endpoints, listening } from './addresses.js'
import type { SnippetFacts } from './facts.js'
import { hasSecret, type Language, preparation, running } from './language.js'
import { quoted } from './quoting.js'

/** Go, as a module of one program. */
export function goLanguage(facts: SnippetFacts): Language {
  const commands = ['[ -f go.mod ] || go mod init first-call', 'go get golang.org/x/oauth2']
  return {
    id: 'go',
    name: 'Go',
    needs: 'Go 1.22 or later',
    blocks: [
      ...preparation(facts, facts.authority === undefined ? commands : [trusting, ...commands]),
      { part: 'program', name: 'main.go', text: program(facts) },
      running(facts, 'go run .'),
    ],
  }
}

/** Of the system: SSL_CERT_FILE counts on some systems alone. */
const trusting = `cat > development.go <<'END'
package main

import (
	"crypto/tls"
	"crypto/x509"
	"log"
	"net/http"
	"os"
)

func init() {
	pem, err := os.ReadFile("ca.pem")
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	http.DefaultTransport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
}
END`

function program(facts: SnippetFacts): string {
  if (facts.kind === 'server') return asItself(facts)
  return facts.kind === 'web' ? webApplication(facts) : onThisMachine(facts)
}

function withImports(packages: readonly string[], rest: string): string {
  const own = packages.filter((name) => !name.includes('.')).toSorted()
  const others = packages.filter((name) => name.includes('.')).toSorted()
  const lines = [...own.map((name) => `\t"${name}"`), '', ...others.map((name) => `\t"${name}"`)]
  return `package main\n\nimport (\n${lines.join('\n')}\n)\n\n${rest}`
}

/** Only the names that it needs. */
function asItself(facts: SnippetFacts): string {
  const packages = ['context', 'fmt', 'io', 'log', 'os', 'golang.org/x/oauth2', 'golang.org/x/oauth2/clientcredentials']
  return withImports(
    packages,
    `func main() {
	config := clientcredentials.Config{
		ClientID:     "${facts.applicationId}",
		ClientSecret: os.Getenv("PORTCULLIS_CLIENT_SECRET"),
		TokenURL:     "${endpoints(facts).token}",
		AuthStyle:    oauth2.AuthStyleInParams,
		Scopes:       []string{${quoted(facts.scope)}},
	}
	// Gets a token when one is needed, keeps it, and renews it.
	response, err := config.Client(context.Background()).Get(${quoted(facts.call)})
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(body))
}`,
  )
}

function config(facts: SnippetFacts): string {
  const { authorize, token } = endpoints(facts)
  const secret = hasSecret(facts) ? '\n\tClientSecret: os.Getenv("PORTCULLIS_CLIENT_SECRET"),' : ''
  const scopes = facts.scope.split(' ').map(quoted).join(', ')
  return `var config = oauth2.Config{
	ClientID:     "${facts.applicationId}",${secret}
	Endpoint: oauth2.Endpoint{
		AuthURL:   "${authorize}",
		TokenURL:  "${token}",
		AuthStyle: oauth2.AuthStyleInParams,
	},
	Scopes: []string{${scopes}},
}

func finish(back url.Values, state, verifier string) (string, error) {
	if state == "" || back.Get("state") != state {
		return "", errors.New("this is not the answer to that sign-in")
	}
	if back.Get("code") == "" {
		return "", errors.New("there is no code: " + back.Get("error_description"))
	}
	ctx := context.Background()
	token, err := config.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return "", err
	}
	response, err := config.Client(ctx, token).Get(${quoted(facts.call)})
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}`
}

const packagesForPeople = ['context', 'errors', 'fmt', 'io', 'log', 'net/http', 'net/url', 'golang.org/x/oauth2']

function onThisMachine(facts: SnippetFacts): string {
  const { host, port, path } = listening(facts)
  const registered = facts.redirect.loopback?.path ?? path
  return withImports(
    [...packagesForPeople, 'net'],
    `${config(facts)}

func main() {
	listener, err := net.Listen("tcp", "${host}:${port}")
	if err != nil {
		log.Fatal(err)
	}
	config.RedirectURL = fmt.Sprintf("http://${host}:%d%s", listener.Addr().(*net.TCPAddr).Port, ${quoted(registered)})
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	fmt.Println("Open in a browser:", config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))
	arrived := make(chan url.Values, 1)
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.EscapedPath() != ${quoted(path)} || r.URL.Query().Get("state") != state {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintln(w, "You can close this window.")
		select {
		case arrived <- r.URL.Query():
		default:
		}
	}))
	text, err := finish(<-arrived, state, verifier)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
}`,
  )
}

function webApplication(facts: SnippetFacts): string {
  const { host, port, path } = listening(facts)
  return withImports(
    [...packagesForPeople, 'net', 'os', 'strings'],
    `${config(facts)}

func answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.EscapedPath() == ${quoted(path)} && r.URL.Query().Has("state") {
		// What was begun is in the cookie of the browser that began it.
		kept := ""
		if cookie, err := r.Cookie("sign-in"); err == nil {
			kept = cookie.Value
		}
		state, verifier, _ := strings.Cut(kept, ".")
		text, err := finish(r.URL.Query(), state, verifier)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, text)
	} else if r.URL.Path == "/" {
		state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		http.SetCookie(w, &http.Cookie{
			Name: "sign-in", Value: state + "." + verifier, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
		http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusFound)
	} else {
		http.NotFound(w, r)
	}
}

func main() {
	listener, err := net.Listen("tcp", "${host}:${port}")
	if err != nil {
		log.Fatal(err)
	}
	config.RedirectURL = ${quoted(facts.redirect.uri)}
	fmt.Println("Open in a browser: http://${host}:${port}/")
	log.Fatal(http.Serve(listener, http.HandlerFunc(answer)))
}`,
  )
}
