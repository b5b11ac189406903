// How long one client waits for its answers, one request after the other on a connection that it keeps.

import { type RawTarget, rawConnection } from './http-raw.js'

export interface Latency {
  medianMs: number
  p99Ms: number
}

/** Asks `count` times. Throws when an answer is not 200. */
export async function latencyOf(target: RawTarget, request: string, count: number): Promise<Latency> {
  const connection = await rawConnection(target)
  const took: number[] = []
  for (let i = 0; i < count; i += 1) {
    const began = performance.now()
    connection.send(request)
    const { status } = await connection.answer()
    if (status !== 200) throw new Error(`an answer with status ${status} for a normal client’s request`)
    took.push(performance.now() - began)
  }
  connection.end()
  took.sort((a, b) => a - b)
  const at = (share: number) => Math.round((took[Math.floor(count * share)] ?? 0) * 1_000) / 1_000
  return { medianMs: at(0.5), p99Ms: at(0.99) }
}
