// Calling with the token: the form that the script sends, the answer, and the same as a command for a terminal.

import type { VNode } from 'preact'
import { authorityCommands } from '../../downloads/authority.js'
import type { DevelopmentAuthority } from '../../http/tls/development-ca.js'
import { Button } from '../../web/pages/elements.js'
import { Select } from '../choice-fields.js'
import { CopyBlock } from '../copy.js'
import { trustingCurl } from '../snippets/curl.js'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method] as const)

export interface CallConsoleProps {
  baseUrl: string
  /** The address of the page about a request, up to its id. */
  explain: string
  /** Paths that the token opens, at least one; the first stands in the form. */
  paths: readonly string[]
  authority: DevelopmentAuthority | undefined
}

/** The card. */
export function CallConsole({ baseUrl, explain, paths, authority }: CallConsoleProps): VNode {
  const curl = `${trustingCurl(authority)} -i`
  const [first = ''] = paths
  return (
    <section class="card" aria-labelledby="call-title">
      <h2 id="call-title">Call an API with it</h2>
      <form id="call-form" hidden aria-label="Call" data-curl={curl}>
        <div class="call-line">
          <Select id="method" label="Method" options={methods} />
          <div class="field path">
            <label for="path">Path</label>
            <input
              id="path"
              name="path"
              class="code"
              type="text"
              value={first}
              required
              maxLength={4096}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
          </div>
          <Button id="send">Send</Button>
        </div>
        <div class="field" id="body-field" hidden>
          <label for="body">Body</label>
          <p class="hint" id="body-hint">
            Sent as application/json.
          </p>
          <textarea id="body" name="body" class="code" rows={4} spellcheck={false} aria-describedby="body-hint" />
        </div>
        <p class="examples">
          {paths.map((path) => (
            <button key={path} type="button" class="plain small" data-path={path}>
              GET {path}
            </button>
          ))}
        </p>
      </form>
      <p id="without-scripts">
        Calling from this page takes scripts, which your browser does not run here. Put the token into{' '}
        <code>TOKEN</code> and call from a terminal:
      </p>
      <section id="answer" class="answer" hidden tabIndex={-1} aria-label="Answer" data-explain={explain}>
        <p class="answer-line">
          <strong id="answer-status" />
          <span id="answer-time" class="number" />
          <span id="answer-request" />
        </p>
        <textarea id="answer-body" class="code" readonly rows={3} aria-label="Body of the answer" spellcheck={false} />
        <details>
          <summary>Header fields</summary>
          <dl class="facts code" id="answer-headers" />
        </details>
      </section>
      {authority === undefined ? null : (
        <CopyBlock id="trust" name="Once, in a terminal: this server signs its own certificate">
          {authorityCommands(authority, baseUrl)}
        </CopyBlock>
      )}
      <CopyBlock id="curl" name="curl">
        {`${curl} '${baseUrl}${first}' \\\n  -H "Authorization: Bearer $TOKEN"`}
      </CopyBlock>
      <p class="fine">Shown with a shortened token; Copy takes the whole command.</p>
    </section>
  )
}
