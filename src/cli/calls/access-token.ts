// Where a command's access token comes from: the local socket (`--app`, an operator's shortcut), the token endpoint
// with a client's own identifier and secret, or a token that is there already.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { CommandFailure, exitCodeOfStatus, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import type { PublicPlace } from '../sign-in/public-place.js'
import { chosenServer, connect } from './connection.js'
import { addConnectionOptions, type ConnectionOptions } from './connection-options.js'
import { httpsExchange } from './https-exchange.js'
import { managementCalls, requireTenant } from './management-calls.js'

export interface TokenOptions extends ConnectionOptions {
  app?: string
  clientId?: string
  clientSecretFile?: string
  scope: string
  tenant?: string
  ca?: string
}

export interface TokenAnswer {
  access_token: string
  token_type: string
  expires_in: number
  scope?: string
}

/** Adds the options that say whose token it is. */
export function addTokenOptions(command: Command): Command {
  return addConnectionOptions(command)
    .option('--app <app>', 'as an application that you look after: its id, public key or name')
    .option('--client-id <id>', 'at the token endpoint: client identifier (or PORTCULLIS_CLIENT_ID)')
    .option('--client-secret-file <file>', 'file with its secret (or the variable PORTCULLIS_CLIENT_SECRET)')
    .option('--scope <list>', 'permissions, separated by spaces or commas', 'default')
    .option('--tenant <tenant>', "the tenant to act in (default: the application's home tenant)")
    .option('--ca <file>', 'certificate authorities to trust, PEM')
}

/** Gets a token. A secret is never an argument: other users can read those. Throws CommandFailure with the reason. */
export async function obtainToken(options: TokenOptions, terminal: Terminal): Promise<TokenAnswer> {
  if (options.app !== undefined) return await tokenThroughSocket(options.app, options, terminal)
  const clientId = options.clientId ?? terminal.env['PORTCULLIS_CLIENT_ID']
  const elsewhere = await chosenServer(options, terminal)
  if (!clientId) {
    if (elsewhere !== undefined) return await tokenOfPerson(elsewhere.server, terminal)
    const message = 'say whose token: --app NAME, or --client-id with its secret in a file or PORTCULLIS_CLIENT_SECRET'
    throw new CommandFailure(exitCodes.usage, message)
  }
  const secret = await clientSecret(options, terminal)
  const { publicPlace } = await import('../sign-in/public-place.js')
  return await tokenFromEndpoint({ clientId, secret }, options, await publicPlace(elsewhere?.server, options, terminal))
}

/** Of the person who is signed in there. */
async function tokenOfPerson(server: string, terminal: Terminal): Promise<TokenAnswer> {
  const [{ remoteAccess }, { asCommand }] = await Promise.all([
    import('../sign-in/remote-access.js'),
    import('../sign-in/client-failure.js'),
  ])
  const { source } = await remoteAccess(server, terminal)
  const { accessToken, expiresAt, scope } = await asCommand(server, () => source.token())
  const expiresIn = Math.max(0, Math.floor((expiresAt - Date.now()) / 1000))
  const said = scope === undefined ? {} : { scope }
  return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, ...said }
}

async function tokenThroughSocket(app: string, options: TokenOptions, terminal: Terminal): Promise<TokenAnswer> {
  const calls = managementCalls(await connect(options, terminal))
  const tenant = options.tenant === undefined ? {} : { tenantId: await requireTenant(calls, options.tenant) }
  return await calls.issueToken(app, { scope: options.scope, ...tenant }).catch((error: unknown) => {
    // As at the token endpoint below: a refused grant is no mistake of the command line.
    if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.usage) throw error
    throw new CommandFailure(exitCodes.denied, `no token: ${error.message}`, { cause: error })
  })
}

async function clientSecret(options: TokenOptions, terminal: Terminal): Promise<string> {
  const file = options.clientSecretFile
  if (file !== undefined) {
    const text = file === '-' ? await terminal.input() : await readFile(resolve(terminal.cwd, file), 'utf8')
    return text.trim()
  }
  const secret = terminal.env['PORTCULLIS_CLIENT_SECRET']
  if (secret) return secret
  throw new CommandFailure(exitCodes.usage, 'the secret is missing: --client-secret-file or PORTCULLIS_CLIENT_SECRET')
}

/** RFC 6749 §4.4.2, with the credentials in the body (§2.3.1). */
async function tokenFromEndpoint(
  client: { clientId: string; secret: string },
  options: TokenOptions,
  place: PublicPlace,
): Promise<TokenAnswer> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.secret,
    scope: options.scope,
    ...(options.tenant === undefined ? {} : { requested_enrollment: options.tenant }),
  })
  const answer = await httpsExchange({
    method: 'POST',
    url: new URL('/api/v2/oauth2/v2.0/token', place.server),
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: form.toString(),
    ca: place.ca,
  })
  const parsed = parseAnswer(answer.body)
  if (answer.status === 200 && typeof parsed['access_token'] === 'string') return parsed as unknown as TokenAnswer
  const description = parsed['error_description'] ?? parsed['error'] ?? answer.statusText
  const link = typeof parsed['error_uri'] === 'string' ? `\n  ${printable(parsed['error_uri'])}` : ''
  // The token endpoint answers 400 for everything but a wrong client; a refused grant is no mistake of the command
  // line.
  const code = answer.status === 400 ? exitCodes.denied : exitCodeOfStatus(answer.status)
  throw new CommandFailure(code, `no token: ${printable(String(description))}${link}`)
}

function parseAnswer(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
