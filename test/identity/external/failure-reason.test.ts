// What the log says of a failed sign-in at another provider.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ClientSecretPost, discovery } from 'openid-client'
import t from 'tap'
import { ensureDevelopmentCertificate } from '../../../src/http/tls/development-ca.js'
import { failureReason } from '../../../src/identity/external/failure-reason.js'
import { createGuardedFetch } from '../../../src/identity/external/guarded-fetch.js'

async function failureOf(issuer: string, ca?: string) {
  const { fetch } = createGuardedFetch({ issuer, ca, monotonic: () => performance.now() })
  const thrown = await discovery(new URL(issuer), 'client', undefined, ClientSecretPost('secret'), {
    [(await import('openid-client')).customFetch]: fetch,
  }).catch((error: unknown) => error)
  return failureReason(thrown)
}

t.test('a certificate that is not trusted, and nobody at the address, are said with their reason', async (t) => {
  const { certFile, keyFile } = await ensureDevelopmentCertificate(t.testdir())
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (_request, response) =>
    response.writeHead(404).end(),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  t.match((await failureOf(issuer)).why, /UNABLE_TO|SELF_SIGNED|certificate/)
  const closed = createServer({})
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  t.match((await failureOf(`https://localhost:${port}`)).why, /ECONNREFUSED/)
})

t.test('the OAuth error and the status are said, and nothing else of the answer', async (t) => {
  const answer = { error: 'invalid_client', error_description: 'a text of theirs' }
  const thrown = Object.assign(new Error('server responded with an error in the response body', { cause: answer }), {
    ...{ error: 'invalid_client', status: 401, code: 'OAUTH_RESPONSE_BODY_ERROR' },
    error_description: answer.error_description,
  })
  t.same(failureReason(thrown), {
    why: 'server responded with an error in the response body (OAUTH_RESPONSE_BODY_ERROR)',
    providerError: 'invalid_client',
    providerStatus: 401,
  })
  t.notMatch(JSON.stringify(failureReason(thrown)), 'theirs')
  const forged = Object.assign(new Error('x'), { error: 'ok\n{"level":"error"}' })
  t.equal(failureReason(forged).providerError, undefined)
})

t.test('a chain has an end, and what is no error is said as it is', async (t) => {
  const loop: Error & { cause?: unknown } = new Error('again')
  loop.cause = loop
  t.same(failureReason(loop), { why: 'again' })
  t.same(failureReason('text'), { why: 'text' })
  t.equal(failureReason(new Error('x'.repeat(9_000))).why.length, 300)
})
