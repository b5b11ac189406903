// Stories of callers who would like a service or the gate for themselves (findings of the gateway's review, and their
// kind).

import { createCaller } from '../asking.js'
import { bearer, countAnswers, drip, head, held, many, open, rest } from './connections.js'
import type { Act, Hostile, HostileWorld } from './world.js'

/** A connection that sends this head and goes on with `then`; again when it is over. */
function holders(count: number, headOf: (world: HostileWorld) => string, then: 'wait' | number, address = '127.0.0.2') {
  return (world: HostileWorld, act: Act) =>
    many(Math.round(count * act.force), act, async () => {
      const socket = await open(world, act, address)
      if (socket === undefined) return act.count('no connection')
      countAnswers(socket, act)
      socket.write(headOf(world))
      await (then === 'wait' ? held(socket, act) : drip(socket, act, then))
      socket.destroy()
    })
}

export const gatewayStories: readonly Hostile[] = [
  {
    name: 'gateway H1 streams',
    does: '128 event streams of one application',
    run: holders(128, (world) => head(world, 'GET', '/s/events', [bearer(world)]), 'wait'),
  },
  {
    name: 'gateway H1 slow bodies',
    does: '128 bodies of 900 bytes a second, without a token',
    run: holders(128, (world) => head(world, 'POST', '/pub/ok', ['Content-Length: 900000']), 900),
  },
  {
    name: 'gateway H1 slow subscriptions',
    does: '128 slow bodies for the bundled service',
    run: holders(
      128,
      (world) =>
        head(world, 'POST', '/api/v2/subscriptions', [
          bearer(world),
          'Content-Type: application/json',
          'Content-Length: 60000',
        ]),
      700,
    ),
  },
  {
    name: 'gateway H1 hanging calls',
    does: '128 calls that are never answered',
    run: holders(128, (world) => head(world, 'GET', '/t/hang', [bearer(world)]), 'wait'),
  },
  {
    name: 'gateway H1 M7 pipelined',
    does: '130 hanging requests on one connection, and 5,000 quick ones on another',
    async run(world, act) {
      await Promise.all([
        many(1, act, async () => {
          const socket = await open(world, act, '127.0.0.3')
          if (socket === undefined) return
          countAnswers(socket, act)
          socket.write(head(world, 'GET', '/t/hang', [bearer(world)]).repeat(Math.round(130 * act.force)))
          await held(socket, act)
        }),
        many(1, act, async () => {
          const socket = await open(world, act, '127.0.0.4')
          if (socket === undefined) return
          countAnswers(socket, act)
          socket.write(head(world, 'GET', '/pub/ok').repeat(Math.round(5_000 * act.force)))
          await Promise.race([held(socket, act), rest(act, 2_000)])
          socket.destroy()
        }),
      ])
    },
  },
  {
    name: 'gateway H5',
    does: '66 calls a second, ten at once, that lose their connection or end in 503',
    async run(world, act) {
      const caller = createCaller(world, '127.0.0.5', 66)
      act.signal.addEventListener('abort', () => caller.end(), { once: true })
      const one = (n: number) =>
        caller.ask({ path: n % 3 === 2 ? '/t/fail' : '/t/lose', token: world.token }).then(
          ({ status }) => act.count(status),
          () => act.count('failed'),
        )
      while (!act.signal.aborted) {
        void Promise.all(Array.from({ length: 10 }, (_, n) => one(n)))
        await rest(act, 150 / act.force)
      }
    },
  },
  {
    name: 'gateway H6',
    does: 'tokens got and revoked as fast as it goes',
    async run(world, act) {
      const caller = createCaller(world, '127.0.0.6', 4)
      act.signal.addEventListener('abort', () => caller.end(), { once: true })
      const client = { client_id: world.clientId, client_secret: world.clientSecret }
      const path = '/api/v2/oauth2/v2.0'
      await many(Math.round(4 * act.force), act, async () => {
        const got = await caller
          .ask({ path: `${path}/token`, body: { ...client, grant_type: 'client_credentials', scope: 'assets_read' } })
          .catch(() => undefined)
        act.count(`token ${got?.status}`)
        if (got?.status !== 200) return
        const token = JSON.parse(got.body).access_token
        const revoked = await caller.ask({ path: `${path}/revoke`, body: { ...client, token } }).catch(() => undefined)
        act.count(`revoke ${revoked?.status}`)
      })
    },
  },
  {
    name: 'gateway M1',
    does: '400 bodies of almost 1 MiB that are read before they are judged',
    run: (world, act) =>
      many(Math.round(400 * act.force), act, async (number) => {
        const socket = await open(world, act, '127.0.0.7')
        if (socket === undefined) return act.count('no connection')
        countAnswers(socket, act)
        const bytes = 1_048_575
        socket.write(head(world, 'POST', '/v/things', ['Content-Type: application/json', `Content-Length: ${bytes}`]))
        // All but the last byte, not all at once: the network of this machine is not what is tried.
        for (let sent = 0; sent + 65_536 < bytes && !act.signal.aborted && !socket.destroyed; sent += 65_536) {
          socket.write(Buffer.alloc(65_536, 0x20))
          await rest(act, 100 + (number % 50))
        }
        await held(socket, act)
      }),
  },
  {
    name: 'gateway M3',
    does: '24 tries of webhooks at once, to names whose servers never answer',
    async run(world, act) {
      const caller = createCaller(world, '127.0.0.12', 30)
      act.signal.addEventListener('abort', () => caller.end(), { once: true })
      const { token } = world
      const headers = { 'content-type': 'application/json' }
      for (let n = 0; n < 24 && !act.signal.aborted; n += 1) {
        const body = JSON.stringify({ url: `https://hook-${n}.silent.test/in`, events: ['application.*'] })
        const answer = await caller.ask({ path: '/api/v2/webhooks', token, headers, body }).catch(() => undefined)
        act.count(`made ${answer?.status}`)
        // There are as many as a tenant may have.
        if (answer?.status !== 201) break
      }
      const listed = await caller.ask({ path: '/api/v2/webhooks', token }).catch(() => undefined)
      const ids: string[] =
        listed?.status === 200 ? JSON.parse(listed.body).value.map(({ id }: { id: string }) => id) : []
      if (ids.length === 0) return
      await many(Math.round(24 * act.force), act, async (n) => {
        const path = `/api/v2/webhooks/${ids[n % ids.length]}/test`
        const answer = await caller.ask({ method: 'POST', path, token }).catch(() => undefined)
        act.count(`tried ${answer?.status}`)
      })
    },
  },
  {
    name: 'gateway M6',
    does: '1,500 connections of one address that do nothing',
    run: (world, act) =>
      many(100, act, async () => {
        for (let n = 0; n < 15 * act.force && !act.signal.aborted; n += 1) {
          const socket = await open(world, act, '127.0.0.8')
          if (socket !== undefined) continue
          act.count('no connection')
          await rest(act, 1_000)
        }
        await rest(act, 5_000)
      }),
  },
  {
    name: 'gateway M8',
    does: 'subscriptions made and listed, ten lists at once',
    async run(world, act) {
      const caller = createCaller(world, '127.0.0.9', 12)
      act.signal.addEventListener('abort', () => caller.end(), { once: true })
      const { token } = world
      const made = many(2, act, async () => {
        const body = JSON.stringify({ displayName: `one of many ${Math.random()}` })
        const headers = { 'content-type': 'application/json' }
        const answer = await caller.ask({ path: '/api/v2/subscriptions', token, headers, body }).catch(() => undefined)
        act.count(`made ${answer?.status}`)
      })
      const listed = many(Math.round(10 * act.force), act, async () => {
        const path = '/api/v2/subscriptions?$top=200&$orderby=displayName%20desc'
        const answer = await caller.ask({ path, token }).catch(() => undefined)
        act.count(`listed ${answer?.status}`)
      })
      await Promise.all([made, listed])
    },
  },
  {
    name: 'slow heads',
    does: '500 connections that never end their first line',
    run: (world, act) =>
      many(Math.round(500 * act.force), act, async () => {
        const socket = await open(world, act, '127.0.0.10')
        if (socket === undefined) return act.count('no connection')
        countAnswers(socket, act)
        socket.write('GET /pub/ok HTTP/1.1\r\nX-A: ')
        await drip(socket, act, 10)
      }),
  },
  {
    name: 'gateway L11',
    does: '60 readers that ask for much and do not read',
    run: (world, act) =>
      many(Math.round(60 * act.force), act, async () => {
        const socket = await open(world, act, '127.0.0.11')
        if (socket === undefined) return act.count('no connection')
        socket.pause()
        socket.write(head(world, 'GET', '/pub/ok').repeat(200))
        await Promise.race([held(socket, act), rest(act, 5_000)])
        socket.destroy()
      }),
  },
]
