// `portcullis login`: a person signs in at a server with their browser, and this machine keeps what renews their
// tokens.

import { type Client, ClientError, type Tokens } from '../../client/index.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { asCommand, recentSeconds } from './client-failure.js'
import { hasBrowser, openBrowser } from './open-browser.js'
import { commandLineAt } from './remote-access.js'
import { readSignIn, type SavedSignIn, saveSignIn } from './saved-sign-ins.js'

export interface SignInRequest {
  server: string
  ca: string | undefined
  /** Absent: by browser where there is one. */
  way: 'browser' | 'device' | undefined
  tenant: string | undefined
  /** How old the sign-in of the browser may be, in seconds; absent: recentSeconds. */
  maxAge?: number | undefined
  /** `2`: with a second factor. */
  acr?: string | undefined
}

/** Long enough to sign in and read what is requested. */
const browserPatienceMs = 600_000

/** Signs in and keeps it. A sign-in that was there before is ended. Throws CommandFailure. */
export async function signIn(options: SignInRequest, terminal: Terminal): Promise<SavedSignIn> {
  const { server, ca, tenant, maxAge = recentSeconds, acr } = options
  // Device codes are off for the command line unless the server allows them.
  const way = options.way ?? 'browser'
  const client = commandLineAt(server, ca)
  // Everything of the management API that the person's role allows, and a refresh token to keep.
  const scope = `openid profile email offline_access ${server}/api/v2/.default`
  return await asCommand(server, async () => {
    // A person who signs in to change something would otherwise be sent back here at once.
    const request = { scope, tenant, maxAge, acrValues: acr }
    const tokens = await (way === 'browser'
      ? byBrowser(client, request, terminal)
      : byDevice(client, request, terminal))
    const before = await readSignIn(terminal, server).catch(() => undefined)
    const saved = { server, ca, ...personOf(tokens), tokens: heldOf(tokens) }
    await saveSignIn(terminal, saved)
    if (before?.tokens?.refreshToken !== undefined) await client.revoke(before.tokens.refreshToken).catch(() => {})
    return saved
  })
}

type Request = { scope: string; tenant: string | undefined; maxAge: number; acrValues: string | undefined }

/** RFC 8252: a listener on this machine gets the answer. */
async function byBrowser(client: Client, request: Request, terminal: Terminal): Promise<Tokens> {
  const { listenForCallback } = await import('../../client/grants/loopback.js')
  const message = 'Close this window and go back to the command line: it says what came of it.'
  const listener = await listenForCallback({ message })
  try {
    const started = await client.beginAuthorization({ ...request, redirectUri: listener.redirectUri })
    terminal.say(`Sign in with your browser:\n  ${started.url}`)
    if (hasBrowser(terminal)) openBrowser(started.url)
    const signal = AbortSignal.timeout(browserPatienceMs)
    for (;;) {
      const callback = await listener.callback({ signal }).catch((cause: unknown) => {
        throw new ClientError('timed_out', 'nobody signed in within ten minutes', { cause })
      })
      // Any program here, and any page in a browser, can call the listener: only the answer to this request ends the
      // waiting.
      const tokens = await client.finishAuthorization(started, callback).catch((error: unknown) => {
        if (error instanceof ClientError && error.code === 'not_this_request') return undefined
        throw error
      })
      if (tokens !== undefined) return tokens
    }
  } finally {
    await listener.close()
  }
}

/** RFC 8628: a browser anywhere. */
async function byDevice(client: Client, request: Request, terminal: Terminal): Promise<Tokens> {
  const { scope, tenant } = request
  const device = await client.beginDevice({ scope, tenant })
  const minutes = Math.round(device.expiresInSeconds / 60)
  const page = printable(device.verificationUri)
  terminal.say(`Open ${page} in a browser and type the code ${printable(device.userCode)} within ${minutes} minutes.`)
  return await device.tokens()
}

function heldOf({ accessToken, expiresAt, refreshToken, scope }: Tokens): NonNullable<SavedSignIn['tokens']> {
  const more = { ...(refreshToken === undefined ? {} : { refreshToken }), ...(scope === undefined ? {} : { scope }) }
  return { accessToken, expiresAt, ...more }
}

function personOf({ claims = {} }: Tokens): Pick<SavedSignIn, 'person' | 'tenantId'> {
  const text = (name: string) => (typeof claims[name] === 'string' ? { [name]: claims[name] as string } : {})
  return { person: { id: String(claims['sub']), ...text('name'), ...text('email') }, tenantId: text('tid')['tid'] }
}
