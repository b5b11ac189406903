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
} as const

/** How long the names may take that only a message needs. */
const patienceMs = 2_000

/**
 * `There is no application "reeder". The nearest is "reader".`; without a near one, the command that lists what there
 * is.
 */
export async function unknownName(kind: keyof typeof lists, written: string, known: Iterable<string>): Promise<string> {
  const { nearestName } = await import('../../config/report/suggest.js')
  const others = [...known].filter((name) => name !== written)
  const nearest = nearestName(written, others)
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

/** The client, whose refusal of an application that there is not names the nearest. */
export function withNearestNames(client: LocalClient): LocalClient {
  const named = async <T>(path: string, body: unknown, calling: Promise<T>): Promise<T> => {
    try {
      return await calling
    } catch (error) {
      if (!(error instanceof ServerRefusal) || error.code !== 'ApplicationNotFound') throw error
      const written = applicationIn(path, body)
      if (written === undefined) throw error
      throw new CommandFailure(error.exitCode, await unknownName('application', written, await namesThere(client)), {
        cause: error,
      })
    }
  }
  return {
    call: (method, path, body, options) => named(path, body, client.call(method, path, body, options)),
    read: (path) => named(path, undefined, client.read(path)),
  }
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
async function namesThere(client: LocalClient): Promise<string[]> {
  try {
    const { value } = (await client.call('GET', '/applications', undefined, { patienceMs })) as {
      value: { name: string }[]
    }
    return value.map(({ name }) => name)
  } catch {
    return []
  }
}
