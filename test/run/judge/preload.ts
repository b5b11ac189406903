// Loaded before everything else in each process of a test run (`--import`, with `?folder=` of the run): it listens to
// what every Fastify instance answers, and has it judged by the document of the API. The product knows nothing of it.
// Nothing is loaded for a process that makes no instance.

import { subscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Answer, Judge } from './judge.js'

/** Judged together, so that a request does not wait for it. */
const most = 400
/** Of a body; longer ones are streams. */
const mostBytes = 2 * 1024 * 1024

const folder = new URL(import.meta.url).searchParams.get('folder')
const heard: Answer[] = []
let judge: Judge | undefined
let isLoading = false
const later = setTimeout

if (folder !== null) {
  subscribe('fastify.initialization', (message) => listenTo((message as { fastify: FastifyInstance }).fastify))
  process.once('exit', deliver)
}

function listenTo(app: FastifyInstance): void {
  if (!isLoading) void load()
  app.addHook('onRequest', (request, reply, done) => {
    listenToReply(request, reply)
    done()
  })
}

async function load(): Promise<void> {
  isLoading = true
  const { createJudge } = await import('./judge.js')
  judge = createJudge(String(folder))
}

interface Entry {
  source: string
  apiHost?: string
}

/** The entry of the facts that http/server.ts keeps on a raw request; other servers of a test have none. */
function entryOf(raw: object): Entry | undefined {
  const symbol = Object.getOwnPropertySymbols(raw).find(
    ({ description }) => description === 'portcullis.request-context',
  )
  return symbol === undefined ? undefined : (raw as Record<symbol, { entry: Entry }>)[symbol]?.entry
}

/** What goes over the wire, from any writer: the gate writes past Fastify. What it passes on is not ours to judge. */
function listenToReply({ method, raw, routeOptions }: FastifyRequest, { raw: response }: FastifyReply): void {
  const { url } = routeOptions
  const entry = entryOf(raw)
  if (url === undefined || entry === undefined) return
  const isPassedOn = url === '/' || url === '/*' ? () => entry.source !== 'gate' : () => false
  const chunks: Buffer[] = []
  let bytes = 0
  const keep = (chunk: unknown) => {
    if ((typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) || isPassedOn()) return
    bytes += chunk.length
    if (bytes <= mostBytes) chunks.push(Buffer.from(chunk as string))
  }
  const { end, write } = response
  response.write = function (this: ServerResponse, ...words: unknown[]) {
    keep(words[0])
    return (write as (...words: unknown[]) => boolean).apply(this, words)
  } as typeof write
  response.end = function (this: ServerResponse, ...words: unknown[]) {
    keep(words[0])
    // A response of inject writes what it ends with.
    response.write = write
    response.end = end
    const [status, type] = [this.statusCode, String(this.getHeader('content-type') ?? '')]
    const answered = (end as (...words: unknown[]) => ServerResponse).apply(this, words)
    // The document is of the public address; at a host for routes only there is nothing of ours.
    if (bytes <= mostBytes && !isPassedOn() && entry.apiHost === undefined) {
      hear({ method, url, status, type: type || headType(this), body: Buffer.concat(chunks).toString() })
    }
    return answered
  } as typeof end
}

/** Of a head that was written as a list, past setHeader. */
function headType(response: ServerResponse): string {
  const head = (response as ServerResponse & { _header?: string | null })._header ?? ''
  return /^content-type: (.*?)\r?$/im.exec(head)?.[1] ?? ''
}

function hear(answer: Answer): void {
  if (heard.push(answer) >= most) deliver()
  // Some processes are killed; and some tests put a clock of their own in the place of this one.
  else if (heard.length === 1) later(deliver, 1_000).unref()
}

function deliver(): void {
  if (judge === undefined) return
  for (const answer of heard.splice(0)) judge.hear(answer)
  judge.report()
}
