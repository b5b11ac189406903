// `npm run bench -- --start`: how long a start takes and how much memory it leaves, the product and the reference in
// turn, and the product's memory after a load.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { accepts } from '../support/programs/accepts.js'
import { freePort } from '../support/programs/program.js'
import { run } from './load.js'
import { residentMb, startServer } from './processes.js'
import { startProduct } from './product.js'
import { proxyRequest, takeToken } from './requests.js'
import { median } from './table.js'

interface Started {
  /** Milliseconds until it answers that it is ready; for the reference, until it takes connections. */
  ready: number
  /** Milliseconds until the first answer to a caller. */
  answer: number
  restMb: number
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Prints the rows. `loadMs`: how long the load lasts. */
export async function benchStart(rounds: number, loadMs: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'))
  const upstreamPort = await freePort()
  const upstream = await startServer([process.execPath, here('./upstream.js'), String(upstreamPort)], upstreamPort, {
    cpu: 1,
  })
  try {
    const rows: Record<string, Started[]> = { A1: [], product: [] }
    const data = join(folder, 'start')
    mkdirSync(data)
    // The first start makes keys and certificates; it is not counted.
    await startedProduct(data)
    for (let round = 0; round < rounds; round++) {
      rows['A1']?.push(await startedReference(upstreamPort))
      rows['product']?.push(await startedProduct(data))
    }
    console.log('row       ready ms  first answer ms  RSS at rest MB')
    for (const [name, starts] of Object.entries(rows)) {
      const figures = [starts.map((s) => s.ready), starts.map((s) => s.answer), starts.map((s) => s.restMb)]
      const [ready = '', answer = '', rest = ''] = figures.map((list) => median(list).toFixed(0))
      console.log(`${name.padEnd(8)}${ready.padStart(10)}${answer.padStart(17)}${rest.padStart(16)}`)
    }
    console.log(`product under gate load: ${(await loadedMb(folder, upstreamPort, loadMs)).toFixed(0)} MB`)
  } finally {
    await upstream.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startedReference(upstreamPort: number): Promise<Started> {
  const port = await freePort()
  const words = [here('./reference-proxy.js'), String(port), String(upstreamPort)]
  return started(words, {}, () => accepts(port), `http://127.0.0.1:${port}/`)
}

async function startedProduct(data: string): Promise<Started> {
  const [port, operator] = [await freePort(), await freePort()]
  const env = {
    PORTCULLIS_LISTEN: `127.0.0.1:${port}`,
    PORTCULLIS_OPERATOR: `127.0.0.1:${operator}`,
    PORTCULLIS_BASE_URL: `https://localhost:${port}`,
    PORTCULLIS_DATA: data,
  }
  const isReady = () => isAnswered(`http://127.0.0.1:${operator}/readyz`)
  return started([here('../../src/main.js'), 'serve'], env, isReady, `http://127.0.0.1:${port}/`)
}

async function started(
  words: string[],
  env: Record<string, string>,
  isReady: () => Promise<boolean>,
  url: string,
): Promise<Started> {
  const began = performance.now()
  const child = spawn(process.execPath, words, { stdio: 'ignore', env: { ...process.env, ...env } })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const ready = await until(isReady, began)
    const answer = await until(() => isAnswered(url, false), began)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return { ready, answer, restMb: residentMb(child.pid as number) }
  } finally {
    child.kill()
    await ended
  }
}

async function until(holds: () => Promise<boolean>, began: number): Promise<number> {
  while (!(await holds())) {
    if (performance.now() - began > 60_000) throw new Error('it did not start within a minute')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return performance.now() - began
}

/** Any answer says that somebody is there; plain HTTP gets one too, which says where HTTPS is. */
async function isAnswered(url: string, isGood = true): Promise<boolean> {
  const answer = await fetch(url, { redirect: 'manual' }).catch(() => undefined)
  await answer?.arrayBuffer().catch(() => undefined)
  return answer !== undefined && (!isGood || answer.ok)
}

async function loadedMb(folder: string, upstreamPort: number, durationMs: number): Promise<number> {
  const own = join(folder, 'start-loaded')
  mkdirSync(own)
  const ports = { port: await freePort(), operatorPort: await freePort() }
  const product = await startProduct({ folder: own, ...ports, upstreamPort, accessLog: false })
  try {
    const requests = [proxyRequest(product.host, await takeToken(product))]
    const { refused, sample } = await run({ port: product.port, connections: 64, requests, durationMs })
    if (refused > 0) throw new Error(`${refused} answers were not 2xx; the run is void\n${sample}`)
    return product.residentMb()
  } finally {
    await product.stop()
  }
}
