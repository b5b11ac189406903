// Interim answers that an upstream gives although nobody requested them.

import t from 'tap'
import { openGate, scriptedUpstream, type Test, viaProxy } from '../../support/rooms/http-gate.js'
import { rawConnection } from '../../support/traffic/http-raw.js'

const proceed = 'HTTP/1.1 100 Continue\r\n\r\n'
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
const answer = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`

async function answering(t: Test, write: (say: (text: string) => void) => Promise<void> | void) {
  const upstream = await scriptedUpstream(t, (socket) => {
    void write((text) => void socket.write(text, 'latin1'))
  })
  const gate = await openGate(t, {
    routes: [{ path: '/things', methods: { GET: 'public', POST: 'public' } }],
    upstreams: { things: { target: upstream.target, eject: { failures: 2, forMs: 60_000, maxPercent: 50 } } },
  })
  const client = await rawConnection(gate)
  t.teardown(() => client.end())
  const ask = (line = 'GET', more = '\r\n') => {
    client.send(`${line} /things HTTP/1.1\r\n${viaProxy}${more}`)
    return client.answer()
  }
  return { upstream, ask, client }
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 20))

t.test('gateway L3: 100 Continue that nobody requested is read over, and the connection serves on', async (t) => {
  const { upstream, ask, client } = await answering(t, (say) => say(proceed + proceed + hints + proceed + answer('ok')))
  for (let i = 0; i < 4; i += 1) {
    const { status, body } = await ask()
    t.same([status, body], [200, 'ok'])
  }
  t.equal((await ask('POST', 'Content-Length: 2\r\n\r\nhi')).status, 200)
  t.equal(upstream.sockets.length, 1)
  t.same(client.informational, [])
})

t.test('gateway L3: however its bytes are cut, nothing but 100 Continue is taken out', async (t) => {
  const whole = `HTTP/1.1 100 Go on\r\nX-A: b\r\n\r\n${answer(`${proceed}${proceed}x`)}`
  const { ask } = await answering(t, async (say) => {
    for (const byte of whole.slice(0, 40)) {
      say(byte)
      await tick()
    }
    say(whole.slice(40, 70))
    await tick()
    say(whole.slice(70))
  })
  for (let i = 0; i < 2; i += 1) {
    const { status, body } = await ask()
    t.same([status, body], [200, `${proceed}${proceed}x`], 'what looks like one in a body is the body')
  }
})

t.test('gateway L3: an interim answer that never ends is no answer', async (t) => {
  const { ask } = await answering(t, (say) => say(`HTTP/1.1 100 Continue\r\n${'X-A: b\r\n'.repeat(10_000)}`))
  t.equal((await ask()).status, 502)
})
