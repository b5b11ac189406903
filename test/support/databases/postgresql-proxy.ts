// A wire to PostgreSQL that can be cut at the worst moment: before a commit reaches the server, or before its answer
// reaches the client. It looks for the statement's own bytes, so it needs a connection without TLS.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Teardown } from './postgresql.js'

export interface PostgresProxy {
  /** The URL of `url`'s database by way of this wire. */
  urlOf(url: string): string
  /** Where the next commit is cut; once. */
  cutNextCommit(where: 'before the server' | 'before the answer'): void
  /** Resolves when a connection was cut. */
  cut(): Promise<void>
}

/** Opens the wire on a free port. */
export async function startPostgresProxy(t: Teardown, port: number): Promise<PostgresProxy> {
  let plan: 'before the server' | 'before the answer' | undefined
  let onCut = (): void => {}
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    let isDeaf = false
    client.on('data', (bytes) => {
      const isCommit = bytes.includes('commit\0')
      if (plan === undefined || !isCommit) {
        upstream.write(bytes)
      } else if (plan === 'before the server') {
        plan = undefined
        client.destroy()
        onCut()
      } else {
        plan = undefined
        isDeaf = true
        upstream.write(bytes)
      }
    })
    upstream.on('data', (bytes) => {
      if (!isDeaf) {
        client.write(bytes)
        return
      }
      // The server has answered, so the commit is done; nobody hears it.
      client.destroy()
      onCut()
    })
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(server, 'listening')
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : 0
  return {
    urlOf: (url) => url.replace(`:${port}/`, `:${own}/`),
    cutNextCommit(where) {
      plan = where
    },
    cut: () =>
      new Promise((resolve) => {
        onCut = resolve
      }),
  }
}
