// The page under /downloads: each package, the line that installs it, and how to tell that it arrived whole.

import type { VNode } from 'preact'
import { Page } from '../web/pages/layout.js'
import { clientPackageName } from './client-package.js'
import type { Download } from './downloads.js'

const uses = (name: string) =>
  name === clientPackageName
    ? 'The client library for Node and browsers: it gets tokens, shares, keeps and renews them.'
    : 'This server itself: the identity service, the gateway and the command line.'

/** The page. `baseUrl`: what the lines begin with. */
export function DownloadsPage({ downloads, baseUrl }: { downloads: readonly Download[]; baseUrl: string }): VNode {
  return (
    <Page title="Downloads" intro="Packages that npm installs from here, without a registry." width="wide">
      {downloads.length === 0 ? (
        <p id="nothing">This server runs from source without a build, so there is nothing to download.</p>
      ) : null}
      {downloads.map(({ name, version, file, bytes, integrity }) => (
        <section key={name} class="card" aria-labelledby={name}>
          <h2 id={name}>
            {name} {version}
          </h2>
          <p>{uses(name)}</p>
          <pre>{`npm install ${baseUrl}/downloads/${file}`}</pre>
          <p>
            <a href={`/downloads/${file}`}>{file}</a>, {Math.ceil(bytes.length / 1024)} KiB
          </p>
          <p class="fine">
            Integrity: <code>{integrity}</code>
          </p>
        </section>
      ))}
    </Page>
  )
}
