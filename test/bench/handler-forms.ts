// What the two forms of undici's handler cost (decision 0115): processor time of this process for one request to an
// upstream in a process of its own, in alternating rounds. `npx tsx test/bench/handler-forms.ts`.

import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { type HandlerForm, handlerOf } from '../../src/gateway/forward/upstream-events.js'

const rounds = 8
const requests = 4_000
const atOnce = 32

if (process.argv[2] === 'upstream') serve()
else await measure()

/** Answers with fifteen header fields and 200 bytes, as a service behind a framework does. */
function serve(): void {
  const fields = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`x-field-${i}`, `value-${i}`]))
  const body = 'x'.repeat(200)
  const server = createServer((_request, response) => {
    response.writeHead(200, { ...fields, 'content-type': 'text/plain', 'content-length': body.length })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

async function measure(): Promise<void> {
  const upstream = fork(fileURLToPath(import.meta.url), ['upstream'])
  const port = await new Promise<unknown>((resolve) => upstream.once('message', resolve))
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: atOnce, allowH2: false })
  const figures: Record<HandlerForm, number[]> = { raw: [], controlled: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const form of round % 2 === 0 ? (['raw', 'controlled'] as const) : (['controlled', 'raw'] as const)) {
      const micros = await run(pool, form)
      if (round > 1) figures[form].push(micros)
    }
  }
  await pool.destroy()
  upstream.kill()
  const [raw, controlled] = [median(figures.raw), median(figures.controlled)]
  console.log(
    `raw ${raw.toFixed(1)} µs, controlled ${controlled.toFixed(1)} µs: ${(controlled / raw).toFixed(3)} times`,
  )
}

async function run(pool: Pool, form: HandlerForm): Promise<number> {
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: atOnce }, () => ask(pool, form, requests / atOnce)))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}

function ask(pool: Pool, form: HandlerForm, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = count
    const next = () => {
      if (left === 0) return resolve()
      left -= 1
      const handler = handlerOf(
        {
          connected: () => undefined,
          answering: () => undefined,
          head: () => true,
          upgraded: () => undefined,
          data: () => true,
          ended: next,
          failed: reject,
        },
        form,
      )
      pool.dispatch({ method: 'GET', path: '/' }, handler)
    }
    next()
  })
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
