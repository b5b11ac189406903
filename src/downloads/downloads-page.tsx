// The page under /downloads: each package, the line that installs it, and how to tell that it arrived whole.

import type { VNode } from 'preact'
import type { DevelopmentAuthority } from '../http/tls/development-ca.js'
import { Page } from '../web/pages/layout.js'
import { authorityCommands, authorityPath } from './authority.js'
import { clientPackageName } from './client-package.js'
import type { Download } from './downloads.js'

const uses = (name: string) =>
  name === clientPackageName
    ? 'The client library for Node and browsers: it gets tokens, shares, keeps and renews them.'
    : 'This server itself: the identity service, the gateway and the command line.'

/** npm looks at no other setting where its own cafile is set; the registry's audit would get it too. */
const npmTrust = '--no-audit --cafile=ca.pem '

export interface DownloadsPageProps {
  downloads: readonly Download[]
  /** What the addresses begin with. */
  baseUrl: string
  /** Of the server's own, where it signs its certificate, as in development. */
  authority: DevelopmentAuthority | undefined
}

/** The page. */
export function DownloadsPage({ downloads, baseUrl, authority }: DownloadsPageProps): VNode {
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
            <code>{`npm install ${authority === undefined ? '' : npmTrust}${baseUrl}/downloads/${file}`}</code>
          </p>
          <p>
            <a href={`/downloads/${file}`}>{file}</a>, {Math.ceil(bytes.length / 1024)} KiB
          </p>
          <p class="fine">
            Integrity: <code>{integrity}</code>
          </p>
        </section>
      ))}
      {authority === undefined ? null : <Authority authority={authority} baseUrl={baseUrl} />}
      <p class="fine">
        How programs use the client: <a href="/docs/tokens">Tokens and revocation</a>. How to start this server:{' '}
        <a href="/docs/quick-start">Quick start</a>.
      </p>
    </Page>
  )
}

/** What programs on this machine have to trust. */
function Authority({ authority, baseUrl }: { authority: DevelopmentAuthority; baseUrl: string }): VNode {
  return (
    <section class="card" aria-labelledby="authority">
      <h2 id="authority">Development certificate authority</h2>
      <p>
        This server runs in development mode and signs its own certificate. These commands write the authority to{' '}
        <code>ca.pem</code> of your folder, and remove it again when its fingerprint is another one:
      </p>
      <pre class="command" id="authority-commands">
        {authorityCommands(authority, baseUrl)}
      </pre>
      <p>
        <a href={authorityPath}>development-ca.pem</a>
      </p>
      <p class="fine">
        SHA-256 fingerprint: <code id="fingerprint">{authority.fingerprint}</code>
      </p>
    </section>
  )
}
