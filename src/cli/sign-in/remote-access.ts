// The command line as a client of a server elsewhere: `portcullis/client` over https with the authorities that this
// server needs, as the person who signed in, or with the token of PORTCULLIS_TOKEN.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Client, createClient, createFetch, type TokenSource } from '../../client/index.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { httpsExchange } from '../calls/https-exchange.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'
import { readSignIn } from './saved-sign-ins.js'
import { signInTokens } from './sign-in-tokens.js'

type Fetch = typeof globalThis.fetch

export interface RemoteAccess {
  server: string
  client: Client
  source: TokenSource
  /** With the token, to this server alone. */
  fetch: Fetch
}

/** Access to that server. Throws CommandFailure with exit code 4 when nobody is signed in there. */
export async function remoteAccess(server: string, terminal: Terminal): Promise<RemoteAccess> {
  const saved = await readSignIn(terminal, server)
  const ca = (await namedAuthorities(terminal.env['PORTCULLIS_CA'], terminal)) ?? saved?.ca
  const client = commandLineAt(server, ca)
  const ready = terminal.env['PORTCULLIS_TOKEN']
  if (!ready && saved?.tokens === undefined) {
    const message = `nobody is signed in at ${server}\n  Sign in: portcullis login --server ${server}`
    throw new CommandFailure(exitCodes.denied, message)
  }
  const source = ready ? givenToken(ready) : client.person(signInTokens(terminal, server))
  return { server, client, source, fetch: createFetch(source, { resources: [server], fetch: fetchTrusting(ca) }) }
}

/** The client of that server, signed in or not. `ca`: PEM of the authorities to trust instead of Node's. */
export function commandLineAt(server: string, ca: string | undefined): Client {
  const { applicationId: clientId } = commandLineClient
  return createClient({ issuer: server, clientId, fetch: fetchTrusting(ca) })
}

/** The text of `--ca` or PORTCULLIS_CA. Throws CommandFailure when there is no such file. */
export async function namedAuthorities(file: string | undefined, terminal: Terminal): Promise<string | undefined> {
  if (!file) return undefined
  return await readFile(resolve(terminal.cwd, file), 'utf8').catch((error: Error) => {
    throw new CommandFailure(exitCodes.usage, `the authorities cannot be read: ${error.message}`, { cause: error })
  })
}

/** Node's own fetch takes no authorities. This one is as much of it as the library and the management calls need. */
function fetchTrusting(ca: string | undefined): Fetch {
  return async (input, init = {}) => {
    const headers = [...new Headers(init.headers).entries()]
    const body = init.body === undefined || init.body === null ? {} : { body: String(init.body) }
    const answer = await httpsExchange({
      method: init.method ?? 'GET',
      url: new URL(String(input)),
      headers,
      ...body,
      ca,
    })
    const received = new Headers()
    for (let i = 0; i + 1 < answer.rawHeaders.length; i += 2) {
      received.append(answer.rawHeaders[i] ?? '', answer.rawHeaders[i + 1] ?? '')
    }
    const empty = [101, 204, 205, 304].includes(answer.status)
    return new Response(empty ? null : new Uint8Array(answer.body), { status: answer.status, headers: received })
  }
}

/** It cannot be renewed: when it is refused there is no other one. */
function givenToken(accessToken: string): TokenSource {
  return { token: async () => ({ accessToken, expiresAt: Date.now() }), reject: () => false }
}
