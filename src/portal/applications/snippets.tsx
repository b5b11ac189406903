// The first call, in three languages: tabs that are radio buttons, so that they work without scripts and by keyboard.

import { join, resolve } from 'node:path'
import type { VNode } from 'preact'
import type { Settings } from '../../config/settings/settings.js'
import type { Download } from '../../downloads/downloads.js'
import type { Application } from '../application-page.js'
import { CopyBlock } from '../copy.js'
import { installLine, snippetsOf } from './snippet-texts.js'

/** The card. `client`: the library, where programs can install it from here. */
export function Snippets({
  application,
  settings,
  client,
}: {
  application: Application
  settings: Pick<Settings, 'server' | 'data'>
  client: Download | undefined
}): VNode {
  const { baseUrl } = settings.server
  const authorityFile = ownAuthorityFile(settings)
  const snippets = snippetsOf(application, baseUrl, client?.name)
  return (
    <section class="card" aria-labelledby="snippets">
      <h2 id="snippets">First call</h2>
      <div class="switch">
        <fieldset>
          <legend class="unseen">Language</legend>
          {snippets.map(({ id, name }, index) => (
            <label key={id}>
              <input type="radio" name="language" id={`language-${id}`} value={id} checked={index === 0} />
              {name}
            </label>
          ))}
        </fieldset>
        {snippets.map(({ id, name, text }) => (
          <div key={id} class={`panel ${id}`}>
            {id === 'node' && client !== undefined ? (
              <CopyBlock id="snippet-install" name="Install">
                {installLine(client, baseUrl, authorityFile)}
              </CopyBlock>
            ) : null}
            <CopyBlock id={`snippet-${id}`} name={name}>
              {text}
            </CopyBlock>
            {id === 'node' && client !== undefined ? (
              <p class="fine">
                <a href="/downloads">Downloads</a> has the library’s integrity value. <a href="/docs/tokens">Tokens</a>{' '}
                says what it does.
              </p>
            ) : null}
          </div>
        ))}
      </div>
      {authorityFile !== undefined ? (
        <p class="fine">
          This server runs in development mode, with a certificate authority of its own. Say where its file is:{' '}
          <code>--cacert data/tls/ca.pem</code> for curl, <code>NODE_EXTRA_CA_CERTS</code> for Node,{' '}
          <code>SSL_CERT_FILE</code> for Python.
        </p>
      ) : null}
    </section>
  )
}

/** Absolute path of the file of the server's own certificate authority; undefined where a real one signs. */
function ownAuthorityFile({ server, data }: Pick<Settings, 'server' | 'data'>): string | undefined {
  return server.tls.kind === 'development' ? join(resolve(data.folder), 'tls', 'ca.pem') : undefined
}
