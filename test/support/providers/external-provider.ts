// oidc-provider from npm as somebody else's OpenID provider: over https on this machine, with its own pages for signing
// in (any name, any password), its own certificate authority, and one client.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { ensureDevelopmentCertificate } from '../../../src/http/tls/development-ca.js'

export interface ExternalProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** The file to trust. */
  caFile: string
  /** What it calls itself in its answers (RFC 9207) from now on, as one that is mixed up with another. */
  saysIssuer: string | undefined
}

/**
 * Starts one in `folder`; it ends with the test. Below `/elsewhere` it answers as at its root, with its own issuer: as
 * a provider does that was configured with a wrong one.
 */
export async function startExternalProvider(
  t: { teardown(work: () => unknown): void },
  options: { folder: string; redirectUris: string[] },
): Promise<ExternalProvider> {
  const { caFile, certFile, keyFile } = await ensureDevelopmentCertificate(options.folder)
  let answer: ReturnType<Provider['callback']> | undefined
  const client = { clientId: 'front-door', clientSecret: 'a secret of the other side' }
  const made: ExternalProvider = { ...client, issuer: '', caFile, saysIssuer: undefined }
  const mixedUp = <T>(value: T): T | string => {
    if (made.saysIssuer === undefined || typeof value !== 'string' || !value.includes('iss=')) return value
    const to = new URL(value)
    to.searchParams.set('iss', made.saysIssuer)
    return to.href
  }
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (request, response) => {
    request.url = request.url?.replace(/^\/elsewhere(?=\/)/, '')
    const setHeader = response.setHeader.bind(response)
    response.setHeader = (name, value) => setHeader(name, name.toLowerCase() === 'location' ? mixedUp(value) : value)
    void answer?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: options.redirectUris,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['of this test'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `${id} of elsewhere`, email: `${id}@elsewhere.test`, email_verified: true }),
    }),
  })
  answer = provider.callback()
  made.issuer = issuer
  return made
}
