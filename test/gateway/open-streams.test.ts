// What ends an answer that is still being sent, beat by beat.

import t from 'tap'
import type { TokenPrincipal } from '../../src/access/principal.js'
import { createOpenStreams, type OpenStream } from '../../src/gateway/forward/open-streams.js'

const principal = { kind: 'application', keyId: 'k', expiresAt: 10_000, seq: 1 } as unknown as TokenPrincipal

function register(t: Tap, stale: () => boolean) {
  const streams = createOpenStreams({
    view: { refusal: () => undefined, isStale: stale, seq: 1 },
    keyring: { verificationKey: () => ({}) as never },
    leewaySeconds: 60,
    now: () => 5_000_000,
    gauge: { set() {} },
    everyMs: 3_600_000,
  })
  t.teardown(() => streams.stop())
  const cut: string[] = []
  const open = (name: string, more: Partial<OpenStream>) =>
    streams.add({
      principal,
      onStale: 'refuse',
      place: -1,
      kind: 'response',
      leave() {},
      cut: (reason) => void cut.push(`${name} ${reason}`),
      ...more,
    })
  return { streams, cut, open }
}
type Tap = typeof t

t.test('V9 a view that stays stale ends the streams that it cannot vouch for, and only those', async (t) => {
  let stale = false
  const { streams, cut, open } = register(t as Tap, () => stale)
  open('strict', {})
  open('lax', { onStale: 'pass' })
  open('public', { principal: undefined })
  const beats = (count: number) => {
    for (let i = 0; i < count; i += 1) streams.sweep()
  }
  beats(5)
  stale = true
  beats(3)
  stale = false
  beats(1)
  stale = true
  beats(3)
  t.same(cut, [], 'a moment costs nothing')
  beats(1)
  t.same(cut, ['strict view_stale'])
})

t.test('a change of the view is looked at before the next beat', async (t) => {
  const view = { refusal: () => (view.seq > 1 ? ('tenant_revoked' as const) : undefined), isStale: () => false, seq: 1 }
  const streams = createOpenStreams({
    ...{ view, keyring: { verificationKey: () => ({}) as never }, leewaySeconds: 60, now: () => 5_000_000 },
    ...{ gauge: { set() {} }, everyMs: 5_000 },
  })
  // The register's own clock keeps no process.
  const waiting = setTimeout(() => undefined, 5_000)
  t.teardown(() => {
    clearTimeout(waiting)
    streams.stop()
  })
  const cut = new Promise<string>((resolve) =>
    streams.add({ principal, kind: 'response', onStale: 'refuse', place: -1, cut: resolve, leave() {} }),
  )
  const began = performance.now()
  view.seq = 2
  t.equal(await cut, 'token_revoked')
  t.ok(performance.now() - began < 4_000)
})

t.test('streams that end, in whatever order, take no others with them', async (t) => {
  const { streams, cut } = register(t as Tap, () => true)
  const begun = ['first', 'second', 'third', 'fourth'].map((name) => {
    const stream: OpenStream = {
      principal,
      onStale: 'refuse',
      place: -1,
      kind: 'response',
      leave() {},
      // As a relay does: what is cut is taken out at once.
      cut(reason) {
        cut.push(`${name} ${reason}`)
        streams.remove(stream)
      },
    }
    streams.add(stream)
    return stream
  })
  const [first, second] = begun as [OpenStream, OpenStream]
  streams.remove(first)
  streams.remove(first)
  streams.remove(second)
  streams.remove(second)
  for (let i = 0; i < 4; i += 1) streams.sweep()
  t.same(cut.sort(), ['fourth view_stale', 'third view_stale'])
  for (let i = 0; i < 4; i += 1) streams.sweep()
  t.equal(cut.length, 2, 'each once')
})
