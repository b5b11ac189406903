// The other half of trying out: acting for a person takes a person who signs in, so this leads to the authorization
// endpoint with everything filled in, and says how the code that comes back is redeemed.

import { createHash, randomBytes } from 'node:crypto'
import type { VNode } from 'preact'
import { isOpenidWord } from '../../directory/consents/consent-rules.js'
import { authorityCommands } from '../../downloads/authority.js'
import type { DevelopmentAuthority } from '../../http/tls/development-ca.js'
import { applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { CopyBlock } from '../copy.js'
import type { PermissionOverview } from '../permissions/permission-overview.js'
import { trustingCurl } from '../snippets/curl.js'

interface SignInExample {
  redirectUri: string
  url: string
}

/** The card; a new verifier each time it is shown, which is kept nowhere. */
export function TestSignIn({
  context,
  baseUrl,
  overview,
  authority,
}: {
  context: PortalContext
  baseUrl: string
  overview: PermissionOverview
  authority: DevelopmentAuthority | undefined
}): VNode {
  const { application } = overview
  const curl = trustingCurl(authority)
  const verifier = randomBytes(32).toString('base64url')
  const examples = application.redirectUris.map((redirectUri) => begin(baseUrl, overview, { redirectUri, verifier }))
  return (
    <section class="card" aria-labelledby="sign-in-title">
      <h2 id="sign-in-title">Test sign-in</h2>
      <p>
        Delegated permissions are used for a person who signed in. Each link begins a sign-in as the application would,
        with proof by PKCE; you come back to the redirect URI with a <code>code</code>. The application itself did not
        begin this, so it may say that it does not know the sign-in.
      </p>
      {examples.length === 0 ? (
        <p class="nothing" id="no-redirect-uri">
          There is no redirect URI to come back to.{' '}
          <a href={context.link(applicationPath(application.applicationId, 'redirect-uris'))}>Register one</a>
        </p>
      ) : (
        <>
          <ul class="list" id="sign-ins">
            {examples.map(({ redirectUri, url }) => (
              <li key={redirectUri}>
                <span class="what">
                  <code>{redirectUri}</code>
                </span>
                <a class="button plain small" href={url} aria-label={`Test sign-in, back to ${redirectUri}`}>
                  Test sign-in
                </a>
              </li>
            ))}
          </ul>
          {authority === undefined ? null : (
            <CopyBlock id="trust" name="Once, in a terminal: this server signs its own certificate">
              {authorityCommands(authority, baseUrl)}
            </CopyBlock>
          )}
          <CopyBlock id="redeem" name="Redeem the code">
            {redeeming(baseUrl, overview, { redirectUri: examples[0]?.redirectUri ?? '', verifier, curl })}
          </CopyBlock>
        </>
      )}
    </section>
  )
}

function begin(
  baseUrl: string,
  { application, configured }: PermissionOverview,
  { redirectUri, verifier }: { redirectUri: string; verifier: string },
): SignInExample {
  const delegated = configured.filter(({ ref }) => ref.kind === 'delegated' && !isOpenidWord(ref))
  const [first] = delegated
  // A token is for one API: the first one of the list.
  const ofOne = delegated.filter(({ ref }) => ref.resource === first?.ref.resource)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: application.applicationId,
    redirect_uri: redirectUri,
    scope: ['openid', 'profile', ...ofOne.map(({ ref }) => `${ref.resource}/${ref.id}`)].join(' '),
    state: randomBytes(16).toString('base64url'),
    nonce: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return { redirectUri, url: `${baseUrl}/api/v2/oauth2/v2.0/authorize?${query}` }
}

function redeeming(
  baseUrl: string,
  { application }: PermissionOverview,
  { redirectUri, verifier, curl }: { redirectUri: string; verifier: string; curl: string },
): string {
  return [
    `${curl} -sS ${baseUrl}/api/v2/oauth2/v2.0/token`,
    '  -d grant_type=authorization_code -d code="$CODE"',
    `  -d client_id=${application.applicationId} -d code_verifier=${verifier}`,
    `  --data-urlencode 'redirect_uri=${redirectUri.replaceAll("'", '%27')}'`,
    ...(application.type === 'native' ? [] : ['  -d client_secret="$PORTCULLIS_CLIENT_SECRET"']),
  ].join(' \\\n')
}
