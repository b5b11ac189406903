// What doctor finds outside of the server: services that are down, clocks, providers, the mail server.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { checkMail, checkProviders, serviceFindings } from '../../../src/cli/commands/doctor/doctor-surroundings.js'
import { secretValue } from '../../../src/config/read/secret-value.js'
import { ensureDevelopmentCertificate } from '../../../src/http/tls/development-ca.js'
import { startMailServer } from '../../support/people/mail-server.js'

const target = (upstream: string, state: 'up' | 'unwell' | 'failing') => ({
  ...{ upstream, target: 'http://10.0.0.1:80', state },
  since: state === 'up' ? null : '2026-03-01T10:28:00.000Z',
})

t.test('a service that is down fails, one with another target left is a warning', async (t) => {
  const targets = [target('posts', 'failing'), target('files', 'up'), target('files', 'unwell')]
  const [posts, files] = serviceFindings({ targets })
  t.match(posts, { state: 'fail', message: /^posts at .*requests to it fail, since 2026/, advice: /upstreams\.posts/ })
  t.match(files, { state: 'warn', message: /^files at .*unwell/ })
  t.match(serviceFindings({ targets: [target('files', 'up')] }), [{ state: 'ok', message: '1 of 1 targets are well' }])
  const [stumbling] = serviceFindings({ targets: [{ ...target('posts', 'up'), cause: 'connection refused' }] })
  t.match(stumbling, { state: 'warn', message: /^posts at .*the newest request to it failed \(connection refused\)$/ })
  t.same(serviceFindings({}), [])
})

t.test('clocks of instances that differ', async (t) => {
  t.match(serviceFindings({ clockSkewSeconds: 61 }), [{ check: 'instance clocks', state: 'fail' }])
  t.match(serviceFindings({ clockSkewSeconds: 10 }), [{ state: 'warn' }])
  t.same(serviceFindings({ clockSkewSeconds: 1 }), [])
})

t.test('a provider is tried: its certificate, its answer, and who it says that it is', async (t) => {
  const { caFile, certFile, keyFile } = await ensureDevelopmentCertificate(t.testdir())
  let answer: { status: number; body: string } = { status: 200, body: '' }
  let token = { status: 400, body: '{"error":"invalid_grant"}' }
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, ({ url }, response) => {
    const keys = { status: 200, body: '{"keys":[{"kty":"EC"}]}' }
    const { status, body } = url === '/keys' ? keys : url === '/token' ? token : answer
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  const ca = readFileSync(caFile, 'utf8')
  const check = async (trusted: string | undefined = ca) => {
    const provider = { name: 'corp', issuer, clientId: 'x', ca: trusted } as Parameters<typeof one>[0]
    return (await one(provider))[0]
  }
  const endpoints = {
    authorization_endpoint: `${issuer}/a`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  }
  answer = { status: 200, body: JSON.stringify({ issuer, ...endpoints }) }
  t.match(await check(), { state: 'ok' })
  token = { status: 401, body: '{"error":"invalid_client"}' }
  t.match(await check(), { state: 'fail', message: /refuses the client/, advice: /clientSecret/ })
  token = { status: 200, body: '{}' }
  t.match(await check(), { state: 'warn', message: /says neither/ })
  answer = { status: 200, body: JSON.stringify({ issuer }) }
  t.match(await check(), { state: 'fail', message: /no authorization endpoint/ })
  answer = { status: 200, body: JSON.stringify({ issuer: 'https://another.example' }) }
  t.match(await check(), { state: 'fail', message: /another issuer/, advice: /providers\.corp\.issuer/ })
  answer = { status: 404, body: '' }
  t.match(await check(), { state: 'fail', message: 'corp answered 404' })
  answer = { status: 200, body: 'no json' }
  t.match(await check(), { state: 'fail', message: /no metadata/ })
  const other = await ensureDevelopmentCertificate(t.testdir({ other: {} }))
  t.match(await check(readFileSync(other.caFile, 'utf8')), { state: 'fail', message: /cannot be reached/ })
})

type Providers = Parameters<typeof checkProviders>[0]
type Provider = Providers['signIn']['providers'] extends ReadonlyMap<string, infer One> ? One : never
const one = (provider: Provider) =>
  checkProviders({
    signIn: { providers: new Map([[provider.name, provider]]) },
    server: { baseUrl: 'https://x.test' },
  } as unknown as Providers)

t.test('the mail server is tried: nobody there, a wrong password, and all well', async (t) => {
  const server = await startMailServer(t)
  const check = (url: string) =>
    checkMail({ mail: { url: secretValue(url) } } as unknown as Parameters<typeof checkMail>[0])
  t.match(await check(server.url), [{ state: 'ok' }])
  const [wrong] = await check(server.url.replace(server.password, 'another-word'))
  t.match(wrong, { state: 'fail', message: /EAUTH, it answered 535/, advice: /PORTCULLIS_MAIL/ })
  t.notMatch(JSON.stringify(wrong), /another-word/)
  t.match(await check('smtp://127.0.0.1:1'), [{ state: 'fail', message: /ECONN|ESOCKET/ }])
  t.same(await checkMail({ mail: undefined }), [])
})
