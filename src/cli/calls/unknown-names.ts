// A name that nobody knows is answered with the nearest one that there is.

import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'
import type { LocalClient } from './local-client.js'
import { ServerRefusal } from './management-answer.js'

/** What a name may be of, and which command lists them. */
const lists = {
  application: 'app list',
  tenant: 'tenant list',
  user: 'user list',
  API: 'api list',
  'API in the catalogue': 'catalogue list',
  operation: 'catalogue show API',
  webhook: 'webhook list',
  key: 'keys list',
  'registration token': 'registration-token list',
  'deleted application': 'app list --deleted',
  permission: 'permission list',
  event: 'event list',
  route: 'routes',
  'route with tools': 'mcp rules list TENANT',
  tool: 'mcp rules list TENANT',
} as const

/** How long the names may take that only a message needs. */
const patienceMs = 2_000

/**
 * `There is no application "reeder". The nearest is "reader".`; without a near one, the command that lists what there
 * is. `found`: the nearest, where the caller knows it.
 */
export async function unknownName(
  kind: keyof typeof lists,
  written: string,
  known: Iterable<string>,
  found?: string,
): Promise<string> {
  const { nearestName } = await import('../../config/report/suggest.js')
  const others = [...known].filter((name) => name !== written)
  const nearest = found ?? nearestName(written, others)
  const quoted = (name: string) => `"${printable(name)}"`
  const next = nearest === undefined ? `See: portcullis ${lists[kind]}` : `The nearest is ${quoted(nearest)}.`
  return `There is no ${kind} ${quoted(written)}. ${next}`
}

/** The failure with that message: exit code 3, not found. */
export async function unknown(
  kind: keyof typeof lists,
  written: string,
  known: Iterable<string>,
): Promise<CommandFailure> {
  return new CommandFailure(exitCodes.notFound, await unknownName(kind, written, known))
}

/** What is known by an identifier only: where it is listed, and what else people may write for it. */
const byIdentifier: Readonly<Record<string, { kind: keyof typeof lists; path: string; id: string; also: string }>> = {
  WebhookNotFound: { kind: 'webhook', path: '/webhooks', id: 'id', also: 'url' },
  KeyNotFound: { kind: 'key', path: '/keys', id: 'kid', also: 'kid' },
  RegistrationTokenNotFound: { kind: 'registration token', path: '/registrationTokens', id: 'id', also: 'label' },
}

/** The client, whose refusal of an application, a webhook, a key or a registration token names the nearest there is. */
export function withNearestNames(client: LocalClient): LocalClient {
  const named = async <T>(path: string, body: unknown, calling: Promise<T>): Promise<T> => {
    try {
      return await calling
    } catch (error) {
      const message = error instanceof ServerRefusal ? await messageFor(client, error.code, path, body) : undefined
      if (message === undefined || !(error instanceof ServerRefusal)) throw error
      throw new CommandFailure(error.exitCode, message, { cause: error })
    }
  }
  return {
    call: (method, path, body, options) => named(path, body, client.call(method, path, body, options)),
    read: (path) => named(path, undefined, client.read(path)),
  }
}

/** Undefined: the refusal is about something else, or says it best itself. */
async function messageFor(client: LocalClient, code: string, path: string, body: unknown): Promise<string | undefined> {
  if (code === 'ApplicationNotFound') {
    const written = applicationIn(path, body)
    if (written === undefined) return undefined
    return unknownName(
      'application',
      written,
      (await listed(client, '/applications')).map(({ name }) => text(name)),
    )
  }
  const found = Object.hasOwn(byIdentifier, code) ? byIdentifier[code] : undefined
  if (found === undefined || !path.startsWith(`${found.path}/`)) return undefined
  const written = decodeURIComponent(/^\/[^/]+\/([^/?]+)/.exec(path)?.[1] ?? '')
  return unknownIdentifier(written, found, await listed(client, found.path))
}

/** The nearest by its identifier, or by what it is called; the identifier is said, which is what the command takes. */
async function unknownIdentifier(
  written: string,
  { kind, id, also }: (typeof byIdentifier)[string],
  there: readonly Record<string, unknown>[],
): Promise<string> {
  const { nearestName } = await import('../../config/report/suggest.js')
  const identifiers = new Map(there.flatMap((one) => [also, id].map((key) => [text(one[key]), text(one[id])] as const)))
  identifiers.delete('')
  const exact = identifiers.get(written)
  const nearest = exact ?? identifiers.get(nearestName(written, identifiers.keys()) ?? '')
  return unknownName(kind, written, nearest === undefined || nearest === written ? [] : [nearest], nearest)
}

/** The application that a call named, wherever it did. */
function applicationIn(path: string, body: unknown): string | undefined {
  const [, segment] = /^\/applications\/([^/?]+)/.exec(path) ?? []
  if (segment !== undefined) return decodeURIComponent(segment)
  const inQuery = new URLSearchParams(path.split('?')[1] ?? '').get('applicationId')
  if (inQuery !== null) return inQuery
  const inBody =
    typeof body === 'object' && body !== null ? (body as { applicationId?: unknown }).applicationId : undefined
  return typeof inBody === 'string' ? inBody : undefined
}

/** Of the first page, which is long; none when they cannot be had. */
async function listed(client: LocalClient, path: string): Promise<Record<string, unknown>[]> {
  try {
    const { value } = (await client.call('GET', path, undefined, { patienceMs })) as {
      value: Record<string, unknown>[]
    }
    return value
  } catch {
    return []
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
