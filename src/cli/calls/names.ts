// What the identifiers of a list are called, for people who read it: each is looked up once, and one that nobody knows,
// or that this caller may not see, has no name.

import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import type { Answer } from '../../management/schemas.js'
import { CommandFailure } from '../output/exit.js'
import type { OutputFormat } from '../output/output.js'
import type { LocalClient } from './local-client.js'

/** Identifiers of a list; null and undefined are left out. */
export interface Identifiers {
  applications?: readonly (string | null | undefined)[]
  tenants?: readonly (string | null | undefined)[]
  users?: readonly (string | null | undefined)[]
}

/** Each answers the name, or an empty text. */
export interface Names {
  application(id: string | null | undefined): string
  tenant(id: string | null | undefined): string
  /** The e-mail address, by which commands know people. */
  user(id: string | null | undefined): string
}

/** Of each kind: nobody reads a list with more, and a server has other things to do. */
const most = 200
const atOnce = 8

/** Looks them up, but for programs (JSON), which read identifiers. */
export async function namesOf(client: LocalClient, output: OutputFormat, identifiers: Identifiers): Promise<Names> {
  const { applications, tenants, users }: Identifiers = output === 'json' ? {} : identifiers
  const application = async (id: string) => {
    const { commandLineClient } = await import('../../oauth/command-line-client.js')
    // Every server has it, and none shows it.
    if (id === commandLineClient.applicationId) return commandLineClient.name
    return ((await client.call('GET', `/applications/${id}`)) as Answer<'application'>).name
  }
  const tenant = async (id: string) => ((await client.call('GET', `/tenants/${id}`)) as Answer<'tenant'>).name
  const user = async (id: string) => ((await client.call('GET', `/users/${id}`)) as PeopleAnswer<'user'>).email
  const [ofApplications, ofTenants, ofUsers] = [
    await lookedUp(applications, application),
    await lookedUp(tenants, tenant),
    await lookedUp(users, user),
  ]
  const named = (found: ReadonlyMap<string, string>) => (id: string | null | undefined) => found.get(id ?? '') ?? ''
  return { application: named(ofApplications), tenant: named(ofTenants), user: named(ofUsers) }
}

async function lookedUp(
  ids: readonly (string | null | undefined)[] = [],
  read: (id: string) => Promise<string>,
): Promise<Map<string, string>> {
  const waiting = [...new Set(ids)].filter((id): id is string => isGuid(id)).slice(0, most)
  const found = new Map<string, string>()
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) found.set(id, await nameOrNone(read, id))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return found
}

async function nameOrNone(read: (id: string) => Promise<string>, id: string): Promise<string> {
  try {
    return await read(id)
  } catch (error) {
    if (error instanceof CommandFailure) return ''
    throw error
  }
}

function isGuid(id: string | null | undefined): boolean {
  return typeof id === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
}
