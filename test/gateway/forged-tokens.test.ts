// A flood of forged tokens from one address, over HTTP: after a thousand wrong signatures none from there is looked at,
// and honest callers go on.

import t from 'tap'
import { createAuthenticator } from '../../src/access/authenticate.js'
import { createForgedTokens } from '../../src/limits/forged-tokens.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
import type { VerificationKey } from '../../src/tokens/keys/keys.js'
import { baseUrl } from '../support/rooms/directory.js'
import { type GateApp, openGate, recordingUpstream, viaProxy } from '../support/rooms/http-gate.js'
import { withAnotherSignature } from '../support/rooms/identity.js'
import { type RawConnection, rawConnection } from '../support/traffic/http-raw.js'

const flooding = '2001:db8:1:1::1'
const neighbour = '2001:db8:1:1:ffff::2'
const elsewhere = '2001:db8:1:2::1'

/** The gate with the brake on, which counts how often a key is looked up to verify with. */
async function gateWithBrake() {
  const lookups = { count: 0 }
  const clock = { ms: 1_000_000 }
  const upstream = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes: [{ path: '/api/v2/me', methods: { GET: ['User.Read.All'] } }],
    upstreams: { things: { target: upstream.target } },
    replace: ({ keyring, view, now }) => ({
      authenticator: createAuthenticator({
        keyring: {
          get generation() {
            return keyring.generation
          },
          verificationKey(purpose, kid): VerificationKey | undefined {
            lookups.count += 1
            return keyring.verificationKey(purpose, kid)
          },
        },
        view,
        issuer: baseUrl,
        leewaySeconds: 60,
        cacheEntries: 100,
        forgedTokens: createForgedTokens({ counters: createInProcessCounters(), monotonic: () => clock.ms }),
        now,
      }),
    }),
  })
  return { gate, upstream, lookups, clock }
}

/** Asks on a connection of its own for this address, as a proxy in front does. */
async function caller(gate: GateApp, address: string) {
  const connection: RawConnection = await rawConnection(gate)
  const send = (token: string) =>
    connection.send(
      `GET /api/v2/me HTTP/1.1\r\n${viaProxy}X-Forwarded-For: ${address}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
  const ask = (token: string) => {
    send(token)
    return connection.answer()
  }
  return { send, ask, answer: connection.answer, end: connection.end }
}

t.test('J2 forged tokens get 429 before a signature is looked at; others, and known tokens, are served', async (t) => {
  const { gate, upstream, lookups, clock } = await gateWithBrake()
  const [known, fresh] = [await gate.token(), await gate.token()]
  const forged = withAnotherSignature(await gate.token())
  const first = await caller(gate, neighbour)
  t.equal((await first.ask(known)).status, 200)
  first.end()
  const flood = await caller(gate, flooding)
  const statuses = new Map<number, number>()
  for (let sent = 0; sent < 1_000; sent += 50) {
    for (let i = 0; i < 50; i += 1) flood.send(forged)
    for (let i = 0; i < 50; i += 1) {
      const { status } = await flood.answer()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  t.same([...statuses], [[401, 1_000]], 'as many as anybody may send by mistake')
  const { count } = lookups
  const refused = await flood.ask(forged)
  t.equal(refused.status, 429)
  t.match(refused.headers.get('retry-after')?.[0], /^([1-9]|[1-5]\d|60)$/)
  t.equal(refused.headers.get('www-authenticate'), undefined, 'nothing is said of the token')
  t.equal(lookups.count, count, 'not even the key was looked up')
  // Not before: a connection that waited for a thousand requests of others may have been closed.
  const [honest, other] = [await caller(gate, neighbour), await caller(gate, elsewhere)]
  t.equal((await honest.ask(known)).status, 200, 'a token that was verified before, from the same group')
  t.equal((await flood.ask(known)).status, 200, 'from the very address')
  t.equal((await honest.ask(fresh)).status, 429, 'one that is new there cannot be told from a forged one')
  t.equal(lookups.count, count)
  t.equal((await other.ask(fresh)).status, 200, 'another group notices nothing')
  t.equal((await honest.ask(fresh)).status, 200, 'and what it had verified is known here too')
  t.equal((await other.ask(forged)).status, 401)
  clock.ms += 63_000
  t.equal((await flood.ask(await gate.token())).status, 200, 'the wait ends')
  t.equal(upstream.requests.length, 6)
  for (const { end } of [flood, honest, other]) end()
})
