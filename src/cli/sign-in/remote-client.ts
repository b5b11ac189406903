// The management API of a server elsewhere, over https with a token, in the place of the local socket.

import type { LocalClient } from '../calls/local-client.js'
import { managementAnswer } from '../calls/management-answer.js'
import type { Terminal } from '../output/terminal.js'
import { asCommand } from './client-failure.js'
import { type RemoteAccess, remoteAccess } from './remote-access.js'

/** A client of that server. Nothing is sent until it is used. */
export function createRemoteClient(server: string, terminal: Terminal): LocalClient {
  let access: Promise<RemoteAccess> | undefined
  const ask = async (method: string, path: string, body: unknown, tag: string | undefined) => {
    access ??= remoteAccess(server, terminal)
    const { fetch } = await access
    return await asCommand(server, async () => {
      const response = await fetch(`${server}/api/v2${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(tag === undefined ? {} : { 'if-match': tag }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const answer = managementAnswer(response.status, await response.text(), server)
      return { answer, tag: response.headers.get('etag') ?? undefined }
    })
  }
  return {
    call: async (method, path, body, options) => (await ask(method, path, body, options?.unlessChangedFrom)).answer,
    read: async (path) => ask('GET', path, undefined, undefined),
  }
}
