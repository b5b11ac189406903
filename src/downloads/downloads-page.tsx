// The page under /downloads: each package, the line that installs it, and how to tell that it arrived whole.

import type { VNode } from 'preact'
import { Page } from '../web/pages/layout.js'
import { clientPackageName } from './client-package.js'
import type { Download } from './downloads.js'

const uses = (name: string) =>
  name === clientPackageName
    ? 'The client library for Node and browsers: it gets tokens, shares, keeps and renews them.'
    : 'This server itself: the identity service, the gateway and the command line.'

export interface DownloadsPageProps {
  downloads: readonly Download[]
  /** What the addresses begin with. */
  baseUrl: string
  /** Whether a certificate authority of the server's own signs its certificate, as in development. */
  hasOwnAuthority: boolean
}

/** The page. */
export function DownloadsPage({ downloads, baseUrl, hasOwnAuthority }: DownloadsPageProps): VNode {
  return (
    <Page title="Downloads" intro="Packages that npm installs from here." width="wide" home="/portal">
      {downloads.length === 0 ? (
        <p id="nothing">This server runs from source without a build, so there is nothing to download.</p>
      ) : null}
      {downloads.map(({ name, version, file, bytes, integrity }) => (
        <section key={name} class="card" aria-labelledby={name}>
          <h2 id={name}>
            {name} {version}
          </h2>
          <p>{uses(name)}</p>
          <p class="command">
            <code>{`npm install ${baseUrl}/downloads/${file}`}</code>
          </p>
          <p>
            <a href={`/downloads/${file}`}>{file}</a>, {Math.ceil(bytes.length / 1024)} KiB
          </p>
          <p class="fine">
            Integrity: <code>{integrity}</code>
          </p>
        </section>
      ))}
      {downloads.length > 0 && hasOwnAuthority ? (
        <p class="fine">
          This server runs in development mode, with a certificate authority of its own. npm needs its file:{' '}
          <code>npm install --no-audit --cafile=…/data/tls/ca.pem</code> and the address. The page of your application{' '}
          <a href="/portal">in the portal</a> has the whole line.
        </p>
      ) : null}
      <p class="fine">
        How programs use the client: <a href="/docs/tokens">Tokens and revocation</a>. How to start this server:{' '}
        <a href="/docs/quick-start">Quick start</a>.
      </p>
    </Page>
  )
}
