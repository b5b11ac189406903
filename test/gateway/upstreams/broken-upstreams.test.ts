// An upstream behind a way that breaks (test/support/proxies/fault-proxy.ts), one that sends without end, and one that
// answers more often than it got requests: what the client gets, when, and what it costs everybody else.
// full: upstreams that break in every way
// run: alone

import { createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { type Fault, startFaultProxy } from '../../support/proxies/fault-proxy.js'
import {
  eventually,
  type GateOptions,
  openGate,
  recordingUpstream,
  scriptedUpstream,
  type Test,
  urlTarget,
  viaProxy,
} from '../../support/rooms/http-gate.js'
import { type RawTarget, rawConnection, rawRequest } from '../../support/traffic/http-raw.js'
import { latencyOf } from '../../support/traffic/latency.js'

const routes: GateOptions['routes'] = [
  { path: '/things', methods: { GET: 'public', POST: 'public' }, bodyBytes: 2 ** 31 },
  { path: '/fine', methods: { GET: 'public' }, upstream: 'fine' },
]
const get = `GET /things HTTP/1.1\r\n${viaProxy}\r\n`
const post = `POST /things HTTP/1.1\r\n${viaProxy}Content-Length: 2\r\n\r\nhi`

/**
 * How long the gate waits for what breaks; a machine that stands still for a moment makes nothing else of what is
 * whole.
 */
const boundMs = 4_000

/** A gate whose upstream is behind a proxy that fails on command. */
async function brokenWay(t: Test, more: Partial<GateOptions['upstreams'][string]> = {}) {
  const upstream = await recordingUpstream(t, (_request, response, { url }) =>
    response.end(url.endsWith('long') ? 'x'.repeat(100_000) : 'ok'),
  )
  const way = await startFaultProxy(t, upstream.port)
  const fine = await recordingUpstream(t)
  const gate = await openGate(t, {
    routes,
    upstreams: {
      things: { target: urlTarget(way.port), connectMs: boundMs, headersMs: boundMs, idleMs: boundMs, ...more },
      fine: { target: fine.target },
    },
  })
  return { upstream, way, gate }
}

type BrokenWay = Awaited<ReturnType<typeof brokenWay>>

/** The status, or that the connection was aborted. */
async function outcome(gate: RawTarget, bytes: string): Promise<number | 'aborted'> {
  try {
    return (await rawRequest(gate, bytes)).status
  } catch (error) {
    if (/connection closed/.test(String(error))) return 'aborted'
    throw error
  }
}

t.test(
  'F26 down, reset, black hole, slow, drop by drop: each is reported in time, and heals without a restart',
  async (t) => {
    const faults: [string, Fault, number][] = [
      ['nobody listens', { refuse: 'down' }, 502],
      ['connections are reset', { refuse: 'reset' }, 502],
      ['a black hole', { toTarget: { blackhole: true }, toClient: { blackhole: true } }, 504],
      ['an answer that is lost', { toClient: { blackhole: true } }, 504],
      ['seconds late', { toClient: { latencyMs: 3 * boundMs } }, 504],
      ['a head drop by drop', { toClient: { bytesPerSecond: 5, sliceBytes: 1 } }, 504],
    ]
    const one = async ([title, fault, status]: (typeof faults)[number], testApp: BrokenWay) => {
      const { gate, way, upstream } = testApp
      t.equal(await outcome(gate, get), 200)
      await way.set(fault)
      const began = performance.now()
      t.same(await Promise.all([outcome(gate, get), outcome(gate, post)]), [status, status], title)
      const tookMs = performance.now() - began
      t.ok(tookMs < 4 * boundMs, `${title}: answered after ${Math.round(tookMs)} ms`)
      await way.heal()
      await eventually(() => way.connections === 0 || fault.refuse === undefined, 'old connections are gone')
      t.equal(await outcome(gate, get), 200, `${title}: healed`)
      t.equal(await outcome(gate, post), 200, `${title}: healed`)
      const posts = upstream.requests.filter(({ method }) => method === 'POST').length
      t.ok(posts <= 2, `${title}: a POST arrives once at most`)
    }
    // One folder per test: they open one after the other, and break together.
    const testApps: BrokenWay[] = []
    for (const _ of faults) testApps.push(await brokenWay(t))
    await Promise.all(faults.map((fault, i) => one(fault, testApps[i] as BrokenWay)))
  },
)

t.test('F26 a body that is cut on its way is an aborted answer, however it is cut', async (t) => {
  const long = get.replace('/things', '/things?long')
  const one = async (title: string, fault: Fault, { gate, way }: BrokenWay) => {
    await way.set(fault)
    const connection = await rawConnection(gate)
    connection.send(long)
    if (title.startsWith('silence')) {
      await new Promise((resolve) => connection.socket.once('data', resolve))
      await way.blackhole()
    }
    await t.rejects(connection.answer(), /connection closed/, title)
  }
  const [first, second] = [await brokenWay(t), await brokenWay(t)]
  await Promise.all([
    one('a reset in the middle', { toClient: { limitBytes: 30_000 } }, first),
    one('silence in the middle', { toClient: { bytesPerSecond: 60_000, sliceBytes: 30_000 } }, second),
  ])
})

t.test('F26 one byte a second is passed on as it comes, and holds up nobody', async (t) => {
  let sent = 0
  const trickle = await scriptedUpstream(t, (socket, request) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n')
    const next = ([letter = '', ...others]: readonly string[]) =>
      setTimeout(() => {
        socket.write(letter)
        if (request === 1) sent += 1
        if (others.length > 0) next(others)
      }, 1_000)
    next(['a', 'b', 'c'])
  })
  const fine = await recordingUpstream(t)
  const upstreams = { things: { target: trickle.target, idleMs: 10_000 }, fine: { target: fine.target } }
  const gate = await openGate(t, { routes, upstreams })
  const slow = await Promise.all(Array.from({ length: 10 }, () => rawConnection(gate)))
  /** How many letters had been sent when something arrived: at first the head alone. */
  const arrived: number[] = []
  slow[0]?.socket.on('data', () => arrived.push(sent))
  slow[0]?.send(get)
  await eventually(() => trickle.count() === 1, 'the first gets a request')
  for (const connection of slow.slice(1)) connection.send(get)
  t.equal(await outcome(gate, get.replace('/things', '/fine')), 200)
  t.ok(sent < 3, 'beside them')
  for (const connection of slow) t.equal((await connection.answer()).body, 'abc')
  t.same(arrived, [0, 1, 2, 3], 'nothing is gathered')
  for (const connection of slow) connection.end()
})

t.test('F26 a head without end is 502 after a few kilobytes of it', async (t) => {
  let taken = 0
  const endless = await scriptedUpstream(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const line = `x-a: ${'a'.repeat(8_000)}\r\n`
    const more = () => {
      while (!socket.destroyed && taken < 200 * 2 ** 20) {
        taken += line.length
        if (!socket.write(line)) return void socket.once('drain', more)
      }
    }
    more()
  })
  const gate = await openGate(t, { routes, upstreams: { things: { target: endless.target }, fine: endless } })
  t.equal(await outcome(gate, get), 502)
  await eventually(() => endless.sockets[0]?.destroyed, 'the connection is closed')
  t.ok(taken < 8 * 2 ** 20, `${taken} bytes of 200 MiB were taken, most of them by the system’s buffers`)
})

t.test('F26 a body of 1 GiB down and a quarter of it up, in flat memory', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const [size, sizeUp] = [2 ** 30, 2 ** 28]
  const piece = Buffer.alloc(2 ** 18, 7)
  let received = 0
  const store = createServer((socket) => {
    let head = ''
    let began = false
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      if (began) received += bytes.length
      else {
        head += bytes.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) return
        began = true
        if (head.startsWith('GET')) {
          socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${size}\r\n\r\n`)
          return void pour(socket, piece, size).then(() => socket.end())
        }
        received += head.length - end - 4
      }
      if (received === sizeUp) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
  })
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
  t.teardown(() => store.close())
  const target = urlTarget((store.address() as { port: number }).port)
  const gate = await openGate(t, { routes, upstreams: { things: { target }, fine: { target } } })
  collect()
  const before = process.memoryUsage().rss
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss - before)
  }, 100)
  t.teardown(() => clearInterval(timer))

  const began = performance.now()
  const download = await rawConnection(gate)
  const down = new Promise<number>((resolve) => {
    let bytes = 0
    download.socket.removeAllListeners('data').on('data', (chunk) => {
      bytes += chunk.length
      if (bytes >= size) resolve(bytes)
    })
  })
  download.send(get)
  const downloaded = await down
  download.end()
  t.comment(`down in ${Math.round(performance.now() - began)} ms`)
  t.ok(downloaded >= size && downloaded < size + 1_000, 'all of it, and a head')

  const upload = await rawConnection(gate)
  upload.send(`POST /things HTTP/1.1\r\n${viaProxy}Content-Length: ${sizeUp}\r\n\r\n`)
  await pour(upload.socket, piece, sizeUp)
  t.equal((await upload.answer()).status, 200)
  t.equal(received, sizeUp)
  upload.end()
  t.comment(`up in ${Math.round(performance.now() - began)} ms`)
  t.comment(`at most ${peak} bytes more than before, of ${size + sizeUp}`)
  t.ok(peak < size / 8, 'the process does not grow with what passes')
})

/** Writes `size` bytes at the pace of the reader. */
async function pour(socket: Socket, piece: Buffer, size: number): Promise<void> {
  for (let sent = 0; sent < size && !socket.destroyed; sent += piece.length) {
    const next = piece.subarray(0, Math.min(piece.length, size - sent))
    if (!socket.write(next)) await new Promise((resolve) => socket.once('drain', resolve))
  }
}

t.test(
  'F26 an answer before the end of an upload reaches the client, although the upstream closes with it',
  async (t) => {
    const full = await scriptedUpstream(t, (socket, count) => {
      if (count === 1)
        socket.end('HTTP/1.1 507 Insufficient Storage\r\ncontent-length: 4\r\nconnection: close\r\n\r\nfull')
    })
    const gate = await openGate(t, { routes, upstreams: { things: { target: full.target }, fine: full } })
    const connection = await rawConnection(gate)
    connection.send(`POST /things HTTP/1.1\r\n${viaProxy}Content-Length: ${2 ** 30}\r\n\r\n`)
    const stop = new AbortController()
    const uploading = (async () => {
      while (!stop.signal.aborted && !connection.socket.destroyed) {
        if (!connection.socket.write(Buffer.alloc(65_536))) await pause(1)
      }
    })()
    const answer = await connection.answer()
    stop.abort()
    await uploading
    t.same([answer.status, answer.body, answer.headers.get('connection')], [507, 'full', ['close']])
    await connection.closed()
    await eventually(() => full.sockets.every((socket) => socket.destroyed), 'the upstream’s connection is gone')
  },
)

t.test(
  'F27 I5 twenty clients of an upstream that answers twice, late and unasked: each gets its own answer or none',
  async (t) => {
    const gone: boolean[] = []
    const mixing = await scriptedUpstream(t, (socket, count, bytes) => {
      const nonce = /nonce=(\w+)/.exec(bytes)?.[1] ?? 'none'
      const answer = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`
      const poison = answer('poison')
      if (count % 4 === 0) socket.write(answer(nonce) + poison)
      else if (count % 4 === 1) {
        // The second answer begins with the first and ends when the connection might serve somebody else.
        socket.write(answer(nonce) + poison.slice(0, 9))
        setImmediate(() => socket.write(poison.slice(9)))
      } else if (count % 4 === 2) {
        const chunked = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${nonce.length.toString(16)}\r\n${nonce}\r\n`
        socket.write(`${chunked}0\r\n\r\n${poison}`)
      } else socket.write(answer(nonce))
      if (count % 4 !== 3) socket.once('close', () => gone.push(true))
    })
    const target = { target: mixing.target, connections: 20 }
    const gate = await openGate(t, { routes, upstreams: { things: target, fine: target } })
    const counts = { own: 0, refused: 0 }
    const wrong: string[] = []
    const client = async (number: number): Promise<void> => {
      let connection = await rawConnection(gate)
      for (let i = 0; i < 25; i += 1) {
        const nonce = `c${number}n${i}`
        connection.send(get.replace('/things', `/things?nonce=${nonce}`))
        const answer = await connection.answer().catch(() => undefined)
        if (answer?.status === 200 && answer.body === nonce) counts.own += 1
        else if (answer === undefined || answer.status === 502 || answer.status === 503) counts.refused += 1
        else wrong.push(`${nonce}: ${answer.status} ${answer.body}`)
        if (answer !== undefined) continue
        connection = await rawConnection(gate)
      }
      connection.end()
    }
    await Promise.all(Array.from({ length: 20 }, (_, number) => client(number)))
    t.same(wrong, [])
    t.comment(`${counts.own} own answers, ${counts.refused} refused, ${mixing.sockets.length} connections`)
    t.equal(counts.own + counts.refused, 500)
    t.ok(counts.own > 250, 'the first answer is whole')
    await eventually(
      () => gone.length > 0 && mixing.sockets.filter(({ destroyed }) => !destroyed).length <= 20,
      'destroyed',
    )
  },
)

t.test('F26 a service in a black hole costs a healthy one nothing: latency before and beside it', async (t) => {
  const { gate, way } = await brokenWay(t, { connections: 4 })
  const fine = get.replace('/things', '/fine')
  await latencyOf(gate, fine, 200)
  // A machine that does other things too makes a round slow now and then; three in a row are not its doing.
  const rounds: { unloaded: number; loaded: number }[] = []
  while (rounds.length < 3 && !rounds.some(({ unloaded, loaded }) => loaded < unloaded * 2 + 0.5)) {
    const unloaded = await latencyOf(gate, fine, 300)
    await way.blackhole()
    const waiting = Array.from({ length: 100 }, () => outcome(gate, get))
    const loaded = await latencyOf(gate, fine, 300)
    const statuses = await Promise.all(waiting)
    await way.heal()
    rounds.push({ unloaded: unloaded.medianMs, loaded: loaded.medianMs })
    t.comment(
      `median ${unloaded.medianMs} ms alone, ${loaded.medianMs} ms beside; p99 ${unloaded.p99Ms} and ${loaded.p99Ms} ms`,
    )
    t.same([...new Set(statuses)].sort(), [503, 504], 'its share waits, the rest is refused at once')
    t.ok(statuses.filter((status) => status === 503).length >= 90, 'the cap: twice its connections may be under way')
  }
  t.ok(
    rounds.some(({ unloaded, loaded }) => loaded < unloaded * 2 + 0.5),
    'F26 the others go on',
  )
})
