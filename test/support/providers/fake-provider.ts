// An OpenID provider that answers as a test wants it to: over https with a certificate of its own authority, right
// unless something is made wrong.

import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { secretValue } from '../../../src/config/read/secret-value.js'
import type { ProviderSettings } from '../../../src/config/settings/settings.js'
import { ownCertificate } from '../upstreams/own-certificate.js'

export interface FakeProvider {
  issuer: string
  settings: ProviderSettings
  /** Requests so far, `GET /jwks` and the like. */
  requests: string[]
  /** Parameters of the last token request. */
  redeemed: URLSearchParams
  /** What the next answers are like; set them as needed. */
  next: {
    claims: Record<string, unknown>
    userinfo: Record<string, unknown>
    metadata: Record<string, unknown>
    /** Instead of the answer at this path: a byte now and then, forever; or a status with a body. */
    instead: Record<string, 'drops' | { status: number; body?: string; headers?: Record<string, string> }>
    /** `foreign`: with a key that is not published. `none`: not at all. */
    signature: 'right' | 'foreign' | 'none'
  }
  /** Where the person comes back to, for the address that the browser was sent to. */
  answer(sentTo: string, more?: Record<string, string>): string
}

interface Test {
  teardown(work: () => unknown): void
}

/** Starts one; it ends with the test. `settings` over what fits it. */
export async function startFakeProvider(t: Test, settings: Partial<ProviderSettings> = {}): Promise<FakeProvider> {
  const { ca, ...tls } = await ownCertificate()
  const [own, untrusted] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')]
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const nonces = new Map<string, string>()

  async function idToken(code: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const base = { iss: provider.issuer, aud: 'portcullis', iat: now, exp: now + 300, nonce: nonces.get(code) }
    const claims = { ...base, sub: 'ada-at-provider', ...provider.next.claims }
    if (provider.next.signature === 'none') {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${part({ alg: 'none' })}.${part(claims)}.`
    }
    const { privateKey } = provider.next.signature === 'foreign' ? untrusted : own
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey)
  }

  async function answer(path: string, body: string): Promise<object> {
    if (path === '/jwks') return { keys: [jwk] }
    if (path === '/userinfo') return { sub: 'ada-at-provider', ...provider.next.userinfo }
    if (path === '/token') {
      provider.redeemed = new URLSearchParams(body)
      const id_token = await idToken(provider.redeemed.get('code') ?? '')
      return { access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token }
    }
    return {
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/authorize`,
      token_endpoint: `${provider.issuer}/token`,
      jwks_uri: `${provider.issuer}/jwks`,
      userinfo_endpoint: `${provider.issuer}/userinfo`,
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      ...provider.next.metadata,
    }
  }

  const server = createServer(tls, async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', provider.issuer)
    provider.requests.push(`${request.method} ${pathname}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const instead = provider.next.instead[pathname]
    if (instead === 'drops') {
      const drip = setInterval(() => response.write(' '), 200)
      response.once('close', () => clearInterval(drip))
      return
    }
    response.setHeader('content-type', 'application/json')
    for (const [name, value] of Object.entries(instead?.headers ?? {})) response.setHeader(name, value)
    response.statusCode = instead?.status ?? 200
    response.end(instead?.body ?? JSON.stringify(await answer(pathname, Buffer.concat(chunks).toString())))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  const provider: FakeProvider = {
    issuer,
    settings: {
      ...{ name: 'fake', label: 'Fake ID', issuer, clientId: 'portcullis', clientSecret: secretValue('s3cret') },
      ...{ scope: 'openid profile email', createUsers: false, tenantId: undefined, role: 'member', roles: undefined },
      ca,
      ...settings,
    },
    requests: [],
    redeemed: new URLSearchParams(),
    next: { claims: {}, userinfo: {}, metadata: {}, instead: {}, signature: 'right' },
    answer(sentTo, more = {}) {
      const { searchParams } = new URL(sentTo)
      const code = `code-${nonces.size}`
      nonces.set(code, searchParams.get('nonce') ?? '')
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      const fields = { code, state: searchParams.get('state') ?? '', iss: issuer, ...more }
      for (const [name, value] of Object.entries(fields)) if (value !== '') back.searchParams.set(name, value)
      return back.pathname + back.search
    },
  }
  return provider
}
