// The listener for redirects on this machine: where the redirect URI is registered, and nowhere else.

import t from 'tap'
import { ClientError } from '../../src/client/errors.js'
import { listenForCallback } from '../../src/client/grants/loopback.js'
import { steadyPort } from '../support/programs/steady-port.js'

t.test('it listens at the registered host, port and path', async (t) => {
  const port = await steadyPort()
  const registered = [
    [`http://localhost:${port}/back`, new RegExp(`^http://localhost:${port}/back$`)],
    ['http://127.0.0.1/back', /^http:\/\/127\.0\.0\.1:\d+\/back$/],
    ['http://127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    [undefined, /^http:\/\/127\.0\.0\.1:\d+\/callback$/],
  ] as const
  for (const [redirectUri, expected] of registered) {
    const listener = await listenForCallback(redirectUri === undefined ? {} : { redirectUri })
    t.match(listener.redirectUri, expected)
    const answer = await fetch(`${listener.redirectUri}?state=s&code=c`)
    t.equal(answer.status, 200)
    t.equal((await listener.callback()).searchParams.get('code'), 'c')
    t.equal((await fetch(new URL('/other?state=s', listener.redirectUri))).status, 404)
    await listener.close()
  }
})

t.test('a path alone is one of 127.0.0.1, at any port', async (t) => {
  const listener = await listenForCallback({ path: '/in' })
  t.match(listener.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/in$/)
  await listener.close()
})

t.test('it listens for nobody elsewhere', async (t) => {
  const others = [
    ...['https://localhost/cb', 'http://example.com/cb', 'http://localhost.evil.test/cb', 'com.example:/cb'],
    ...['http://localhost:99999/cb', 'http://user@localhost/cb', ''],
  ]
  for (const redirectUri of others) await t.rejects(listenForCallback({ redirectUri }), ClientError, redirectUri)
})

t.test('a port that is taken is said', async (t) => {
  const first = await listenForCallback({ redirectUri: `http://127.0.0.1:${await steadyPort()}/cb` })
  t.teardown(() => first.close())
  await t.rejects(listenForCallback({ redirectUri: first.redirectUri }), { code: 'EADDRINUSE' })
})
