// A service behind the gate that writes down every request that reaches it, and who the assertion said was calling. The
// answer echoes the request's nonce, so that a client sees whether it got its own.

import { createServer } from 'node:http'

/** One request as it arrived. */
export interface Hit {
  /** performance.now() at arrival. */
  atMs: number
  /** What the client sent as `test-nonce`. */
  nonce: string
  method: string
  path: string
  /** From the assertion; empty when there was none that can be read. */
  applicationId: string
  tenantId: string
  permissions: string
}

export interface RecordingUpstream {
  readonly port: number
  readonly hits: Hit[]
  close(): Promise<void>
}

/** Listens on loopback. A path with `hold=N` in its query is answered after N milliseconds. */
export async function startRecordingUpstream(t: { teardown(work: () => unknown): void }): Promise<RecordingUpstream> {
  const hits: Hit[] = []
  const server = createServer((request, response) => {
    const nonce = String(request.headers['test-nonce'] ?? '')
    const path = request.url ?? ''
    const atMs = performance.now()
    hits.push({ atMs, nonce, method: request.method ?? '', path, ...callerOf(request.headers.authorization) })
    const body = JSON.stringify({ nonce })
    const answer = () => {
      response.writeHead(200, { 'content-type': 'application/json', 'test-nonce': nonce })
      response.end(body)
    }
    request.resume()
    const hold = Number(/[?&]hold=(\d{1,5})/.exec(path)?.[1] ?? 0)
    if (hold === 0) request.on('end', answer)
    else setTimeout(answer, hold)
  })
  // Said to the gate in each answer, which then does not use a connection that is about to be closed here.
  server.keepAliveTimeout = 10_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  t.teardown(close)
  return { port: (server.address() as { port: number }).port, hits, close }
}

/** The assertion's claims, not verified: other tests check who signed it, here it is what was sent. */
function callerOf(authorization: string | undefined): Pick<Hit, 'applicationId' | 'tenantId' | 'permissions'> {
  const part = /^Bearer [\w-]+\.([\w-]+)\./.exec(authorization ?? '')?.[1]
  if (part === undefined) return { applicationId: '', tenantId: '', permissions: '' }
  const claims = JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, string>
  const { client_id: applicationId = '', tid: tenantId = '', scope: permissions = '' } = claims
  return { applicationId, tenantId, permissions }
}
