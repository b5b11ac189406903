// What every address of the public listener answers to the methods that it does not serve, with the shipped
// configuration.

import { METHODS } from 'node:http'
import type { LightMyRequestResponse } from 'fastify'
import { openApiPath } from '../../../src/management/openapi/registered.js'
import { type DescribedServer, openDescribedServer } from '../settings/described-server.js'

export interface UnservedAnswer {
  /** As OpenAPI writes it. */
  path: string
  method: string
  answer: LightMyRequestResponse
  /** The route's id in the log. */
  route: string
}

/** A log that keeps the lines of requests. */
export function recordingLog() {
  const lines: { requestId: string; route: string }[] = []
  const log = {
    ...{ level: 'info', child: () => log },
    ...{ warn() {}, error() {}, debug() {}, trace() {}, fatal() {} },
    info(line: unknown, message?: string) {
      if (message === 'request') lines.push(line as { requestId: string; route: string })
    },
  }
  return { log, lines }
}

/** A request that a proxy passed on for an address of its own, so that no budget is shared. */
function headersOf(serial: number): Record<string, string> {
  const address = `10.${serial >> 16}.${(serial >> 8) & 255}.${serial & 255}`
  return { host: 'localhost', 'x-forwarded-proto': 'https', 'x-forwarded-for': address }
}

/** The addresses of the rooms with the methods that they serve, as the router has them. */
export function servedMethods({ routes }: DescribedServer): Map<string, Set<string>> {
  const served = new Map<string, Set<string>>()
  for (const { url, methods } of routes) {
    if (url === '/' || url.endsWith('/*')) continue
    const known = served.get(url) ?? new Set()
    for (const method of methods) known.add(method)
    served.set(url, known)
  }
  return served
}

/** `/applications/:id` with something for each parameter; a segment in any case as a word of mixed case. */
export function examplePath(url: string): string {
  return url
    .replace(/:(\w+)\(\^[^)]*\$\)/g, (_whole, word: string) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .replace(/(?<!:):(\w+)/g, 'some-$1')
    .replaceAll('::', ':')
}

/** Asks each address with each method that it does not serve. */
export async function askUnserved(folder: string): Promise<{ answers: UnservedAnswer[]; server: DescribedServer }> {
  const { log, lines } = recordingLog()
  const server = await openDescribedServer(folder, { log: log as never })
  const probes: Omit<UnservedAnswer, 'route'>[] = []
  for (const [url, served] of servedMethods(server)) {
    for (const method of METHODS) {
      if (method === 'CONNECT' || served.has(method)) continue
      const answer = await server.ask(method as 'GET', headersOf(probes.length), examplePath(url))
      probes.push({ path: openApiPath(url), method, answer })
    }
  }
  const routeOf = new Map(lines.map(({ requestId, route }) => [requestId, route]))
  const answers = probes.map((one) => ({ ...one, route: routeOf.get(String(one.answer.headers['request-id'])) ?? '-' }))
  return { answers, server }
}
