// The names of one kind that a server has, as somebody would type them in a command.

import { eventTypes } from '../../events/event-types.js'
import type { PlainRules } from '../../gateway/diff/plain-rules.js'
import { auditEventNames } from '../../ledger/names/event-names.js'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import type { ApisAnswer } from '../../management/permissions/apis.js'
import type { Answer } from '../../management/schemas.js'
import type { LocalClient } from '../calls/local-client.js'
import { happenedEvents } from '../commands/server/event.js'
import { unprintable } from '../output/table.js'

export type NameKind =
  | ('application' | 'tenant' | 'user' | 'permission' | 'event' | 'route' | 'path' | 'api' | 'plan')
  | ('tool' | 'prompt' | 'resource')

export interface Suggestion {
  value: string
  /** On the same line, beside it. */
  description: string
}

/** Nobody chooses among more. */
const most = 500

/** The names; `words` is the line that is typed. Throws what the client does. */
export async function namesOn(
  client: LocalClient,
  kind: NameKind,
  { words, patienceMs }: { words: readonly string[]; patienceMs: number },
): Promise<readonly Suggestion[]> {
  const read = async <T>(path: string) => (await client.call('GET', path, undefined, { patienceMs })) as T
  const found = await readers[kind](read, words, client)
  return found
    .slice(0, most)
    .filter(({ value }) => isOneWord(value))
    .map(({ value, description }) => ({ value, description: description.replace(unprintable, ' ') }))
}

type Read = <T>(path: string) => Promise<T>

const readers: Readonly<
  Record<NameKind, (read: Read, words: readonly string[], client: LocalClient) => Promise<Suggestion[]>>
> = {
  async application(read) {
    const { value } = await read<Answer<'applications'>>('/applications')
    return named(value.map(({ name, applicationId, type, state }) => [name, applicationId, `${type}, ${state}`]))
  },
  async tenant(read) {
    const { value } = await read<Answer<'tenants'>>('/tenants')
    return named(value.map(({ name, tenantId, state }) => [name, tenantId, state]))
  },
  async user(read) {
    const { value } = await read<PeopleAnswer<'users'>>('/users')
    return value.map(({ email, name }) => ({ value: email, description: name }))
  },
  async permission(read) {
    const { value } = await read<Answer<'permissions'>>('/permissions')
    const ids = new Map(value.map(({ id, description }) => [id, description]))
    return [...ids].map(([id, description]) => ({ value: id, description }))
  },
  async event(_read, words, client) {
    const names = words[0] === 'webhook' ? eventTypes : ((await happenedEvents(client)) ?? auditEventNames)
    return names.map((event) => ({ value: event, description: '' }))
  },
  async route(read) {
    const { routes } = await read<PlainRules>('/configuration/rules')
    return routes.map(({ id }) => ({ value: id, description: '' }))
  },
  async path(read) {
    const { routes } = await read<PlainRules>('/configuration/rules')
    return [...new Set(routes.map(({ path }) => path))].map((path) => ({ value: path, description: '' }))
  },
  tool: async (read, words) => operationNames(await read<PlainRules>('/configuration/rules'), 'tools', words),
  prompt: async (read, words) => operationNames(await read<PlainRules>('/configuration/rules'), 'prompts', words),
  resource: async (read, words) => operationNames(await read<PlainRules>('/configuration/rules'), 'resources', words),
  async api(read) {
    const { value } = await read<ApisAnswer>('/apis')
    return value.map(({ identifier, name }) => ({ value: identifier.replace(/^.*\//, ''), description: name }))
  },
  async plan(read) {
    const { value } = await read<{ value: { name: string; describe: string | null }[] }>('/plans')
    return value.map(({ name, describe }) => ({ value: name, description: describe ?? '' }))
  },
}

/** Of the MCP server whose path stands in the line, else of all. A template is no URI that somebody could ask about. */
function operationNames(
  { routes }: PlainRules,
  of: 'tools' | 'prompts' | 'resources',
  words: readonly string[],
): Suggestion[] {
  const servers = routes.flatMap(({ path, mcp }) => (mcp === undefined ? [] : [{ path, names: mcp[of] }]))
  const meant = servers.filter(({ path }) => words.includes(path))
  return (meant.length > 0 ? meant : servers).flatMap(({ path, names }) =>
    names
      .filter(({ name }) => of !== 'resources' || !name.includes('{'))
      .map(({ name, anyOf }) => ({
        value: name,
        description: `${path}, needs ${anyOf.map((list) => list.join(' and ')).join(', or ')}`,
      })),
  )
}

/** By name where that is one word and nobody else's, else by identifier. */
function named(all: readonly (readonly [name: string, id: string, about: string])[]): Suggestion[] {
  const taken = new Map<string, number>()
  for (const [name] of all) taken.set(name, (taken.get(name) ?? 0) + 1)
  return all.map(([name, id, about]) =>
    isOneWord(name) && taken.get(name) === 1
      ? { value: name, description: about }
      : { value: id, description: `${name}, ${about}` },
  )
}

/** What a shell takes as it is. */
function isOneWord(text: string): boolean {
  return /^[A-Za-z0-9_.:/@%+=*{}-]+$/.test(text)
}
