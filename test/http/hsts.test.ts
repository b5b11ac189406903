// What pages tell browsers of names below the host (identity L10, decision 0102).

import t from 'tap'
import { pageHeaders } from '../../src/http/answers/security-headers.js'
import { testServer } from '../support/rooms/http-server.js'
import { settingsFrom } from '../support/settings/config-file.js'

const headers = { host: 'localhost', 'x-forwarded-proto': 'https', accept: 'text/html' }

t.test('identity L10: HSTS covers names below the host only where the operator says so', async (t) => {
  for (const [hstsIncludeSubDomains, expected] of [
    [undefined, 'max-age=31536000'],
    [false, 'max-age=31536000'],
    [true, 'max-age=31536000; includeSubDomains'],
  ] as const) {
    const app = testServer(hstsIncludeSubDomains === undefined ? {} : { hstsIncludeSubDomains })
    t.teardown(() => app.close())
    app.get('/page', async (_, reply) => reply.headers(pageHeaders()).send('<!doctype html>'))
    app.get('/data', async () => ({}))
    const page = await app.inject({ url: '/page', headers })
    t.equal(page.headers['strict-transport-security'], expected)
    const refused = await app.inject({ url: '/%zz', headers })
    t.equal(refused.headers['strict-transport-security'], expected, 'a refusal says the same: the last one counts')
    t.notMatch(page.headers['strict-transport-security'], /preload/)
    const data = await app.inject({ url: '/data', headers })
    t.equal(data.headers['strict-transport-security'], undefined, 'it speaks to browsers')
  }
})

t.test('identity L10: it is off unless the configuration has it', async (t) => {
  const text = 'permissions: { P.Read: { describe: Read } }\n'
  t.equal(settingsFrom(t, text).server.hstsIncludeSubDomains, false)
  t.equal(settingsFrom(t, `${text}server: { hstsIncludeSubDomains: true }\n`).server.hstsIncludeSubDomains, true)
})
