// What HTTP/2 costs beside HTTP/1.1, towards clients and towards services (decision 146): processor time of one side for
// one exchange of 1 KB of JSON over TLS, both sides in processes of their own, in alternating rounds. And what a client
// that begins streams and takes each back at once (CVE-2023-44487) costs a server until its connection is ended.
// `NODE tsx test/bench/http2.ts`; `--rounds N`, `--requests N`.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, constants, createSecureServer } from 'node:http2'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { ensureDevelopmentCertificate } from '../../src/http/tls/development-ca.js'
import { benchBody } from './body.js'
import { numberOption } from './options.js'
import { median } from './table.js'

type Form = 'h1' | 'h2' | 'h2 streams'
interface Work {
  form: 'h1' | 'h2'
  port: number
  connections: number
  atOnce: number
  requests: number
}

const [, , role, ...words] = process.argv
if (role === 'server') serve(words[0] as Form, words[1] ?? '')
else if (role === 'client') waitForWork()
else await measure()

/** `h2` goes by the interface of node:http, as Fastify would; `h2 streams` by that of the streams. */
function serve(form: Form, folder: string): void {
  const { keyFile, certFile } = JSON.parse(folder) as { keyFile: string; certFile: string }
  const tls = { key: readFileSync(keyFile), cert: readFileSync(certFile) }
  const fields = { 'content-type': 'application/json', 'content-length': benchBody.length }
  const answer: Parameters<typeof createServer>[1] = (request, response) => {
    request.resume()
    response.writeHead(200, fields)
    response.end(benchBody)
  }
  const server = form === 'h1' ? createServer(tls, answer) : createSecureServer({ ...tls, allowHTTP1: false })
  if (form === 'h2') server.on('request', answer as never)
  if (form === 'h2 streams') {
    server.on('stream', (stream: import('node:http2').ServerHttp2Stream) => {
      stream.on('error', () => undefined)
      if (stream.destroyed) return
      stream.respond({ ':status': 200, ...fields })
      stream.end(benchBody)
    })
  }
  server.on('error', () => undefined)
  ;(server as Server).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => process.send?.(process.cpuUsage()))
}

function waitForWork(): void {
  process.on('message', async (work: Work | 'usage') => {
    if (work === 'usage') return void process.send?.(process.cpuUsage())
    await exchange(work)
    process.send?.('done')
  })
}

/** By undici's dispatcher, as the gate speaks to services. */
async function exchange({ form, port, connections, atOnce, requests }: Work): Promise<void> {
  const pool = new Pool(`https://127.0.0.1:${port}`, {
    connections,
    pipelining: form === 'h2' ? Math.ceil(atOnce / connections) : 1,
    allowH2: form === 'h2',
    connect: { rejectUnauthorized: false },
  })
  let left = requests
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      pool.dispatch(
        { method: 'GET', path: '/' },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: () => undefined,
          onResponseEnd: () => resolve(),
          onResponseError: (_controller, error) => reject(error),
        },
      )
    })
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await one()
    }),
  )
  await pool.close()
}

interface Side {
  child: ChildProcess
  usage(): Promise<number>
}

function side(words: string[]): Side {
  const child = fork(fileURLToPath(import.meta.url), words)
  return {
    child,
    async usage() {
      child.send('usage')
      const { user, system } = (await message(child)) as NodeJS.CpuUsage
      return user + system
    },
  }
}

function message(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a side ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (value) => {
      child.off('exit', ended)
      resolve(value)
    })
  })
}

async function measure(): Promise<void> {
  const rounds = numberOption('rounds', 5)
  const requests = numberOption('requests', 6_000)
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-http2-'))
  const certificate = JSON.stringify(await ensureDevelopmentCertificate(folder))
  const forms: readonly Form[] = ['h1', 'h2', 'h2 streams']
  const servers = await Promise.all(
    forms.map(async (form) => {
      const server = side(['server', form, certificate])
      return { form, server, port: (await message(server.child)) as number }
    }),
  )
  const client = side(['client'])
  const figures = new Map<string, number[]>()
  for (let round = 0; round <= rounds; round += 1) {
    for (const [connections, atOnce] of [
      [1, 1],
      [1, 64],
      [8, 64],
    ] as const) {
      for (const { form, server, port } of servers) {
        const isH1 = form === 'h1'
        const asMany = isH1 ? atOnce : connections
        const before = [await server.usage(), await client.usage()]
        const work = { form: isH1 ? 'h1' : 'h2', port, connections: asMany, atOnce, requests }
        client.child.send(work)
        await message(client.child)
        const after = [await server.usage(), await client.usage()]
        if (round === 0) continue
        for (const [at, name] of ['server', 'client'].entries()) {
          const key = `${name}, ${form}, ${atOnce} at once, connections: ${asMany}`
          const micros = ((after[at] ?? 0) - (before[at] ?? 0)) / requests
          figures.set(key, [...(figures.get(key) ?? []), micros])
        }
      }
    }
  }
  console.log(`Node ${process.version}`)
  for (const [key, micros] of figures) console.log(`${key}: ${median(micros).toFixed(1)} µs`)
  for (const { form, server, port } of servers) if (form !== 'h1') await takeBack(form, server, port)
  for (const { server } of servers) server.child.kill()
  client.child.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** Ten thousand streams, each taken back at once, over one connection. */
async function takeBack(form: Form, server: Side, port: number): Promise<void> {
  const before = await server.usage()
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  session.on('error', () => undefined)
  await new Promise((resolve) => session.once('remoteSettings', resolve))
  let begun = 0
  while (begun < 10_000 && !session.closed && !session.destroyed) {
    for (let i = 0; i < 50 && !session.destroyed && !session.closed; i += 1, begun += 1) {
      const stream = session.request({ ':path': '/' })
      stream.on('error', () => undefined)
      stream.close(constants.NGHTTP2_CANCEL)
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  const ended = session.closed || session.destroyed
  session.destroy()
  const micros = (await server.usage()) - before
  console.log(
    `${form}: ${begun} streams taken back, connection ${ended ? 'ended' : 'kept'}, ${(micros / begun).toFixed(1)} µs each`,
  )
}
