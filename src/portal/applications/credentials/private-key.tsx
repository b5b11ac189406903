// The private key, on the one page that has it (U9): masked where there are scripts, and in a file to take along.

import type { VNode } from 'preact'
import type { Application } from '../../application-page.js'
import { SecretOnce } from '../../copy.js'
import { dateTime } from '../../dates.js'
import { environmentFile } from '../../snippets/environment-file.js'

/** The card. `endsAt`: when it expires, RFC 3339. */
export function PrivateKey({
  application,
  baseUrl,
  clientSecret,
  endsAt,
}: {
  application: Pick<Application, 'applicationId'>
  baseUrl: string
  clientSecret: string
  endsAt: string
}): VNode {
  return (
    <section class="card once" aria-labelledby="private-key">
      <h2 id="private-key">Copy its private key now</h2>
      <p id="once">It is shown this once, and kept nowhere that it could be read from again.</p>
      <SecretOnce
        id="client-secret"
        label="Private key"
        hint={
          <>
            Send as <code>client_secret</code>, from a server only. It ends on {dateTime(Date.parse(endsAt))}.
          </>
        }
      >
        {clientSecret}
      </SecretOnce>
      <div id="env-place" />
      <div class="field" data-folded>
        <label for="env">File portcullis.env, which the programs read</label>
        <textarea
          id="env"
          class="code"
          rows={4}
          readonly
          autocomplete="off"
          spellcheck={false}
          data-download="portcullis.env"
        >
          {environmentFile(application, baseUrl, clientSecret)}
        </textarea>
      </div>
    </section>
  )
}
