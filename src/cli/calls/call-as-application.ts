// What to type when a person who is signed in at the command line calls an API and is refused: the command line's own
// application manages the server and has no permission of other APIs, so the call is made as an application.

import type { Answer } from '../../management/schemas.js'
import { shellQuoted } from '../output/shell-word.js'
import type { LocalClient } from './local-client.js'

interface Missing {
  id: string
  resource: string
}

/** How long the catalogue may take that only a hint needs. */
const patienceMs = 2_000

/**
 * The next commands, a line each; empty when the answer is no refusal for want of a permission of the command line's
 * application. `server`: what was given as --server. `more`: whether the call had a body or header fields.
 */
export async function commandsToCallAsApplication(
  answer: { status: number; body: Buffer },
  client: LocalClient,
  { method, path, server, more }: { method: string; path: string; server: string | undefined; more: boolean },
): Promise<readonly string[]> {
  const missing = answer.status === 403 ? missingIn(answer.body) : undefined
  if (missing === undefined) return []
  const known = await catalogue(client)
  const same = known.filter(({ id, kinds }) => id === missing.id && kinds.includes('application'))
  if (known.length > 0 && !same.some(({ resource }) => resource === missing.resource)) {
    return [`  ${missing.id} is for applications that sign people in: call it from one of yours.`]
  }
  const permission = same.length > 1 ? `${missing.resource}/${missing.id}` : missing.id
  const at = server === undefined ? '' : ` --server ${shellQuoted(server)}`
  const call = `portcullis call ${method} ${shellQuoted(path)}${more ? ' …' : ''}`
  return [
    '  You called as the command line itself. Call as an application:',
    `    portcullis app create caller --permission ${shellQuoted(permission)} --consent${at}`,
    `    ${call} --app caller${at}`,
    `  or, as one that has the permission (portcullis app list): ${call} --app NAME${at}`,
  ]
}

function missingIn(body: Buffer): Missing | undefined {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: { code?: unknown; permission?: Partial<Missing> } }
    const { id, resource } = error?.permission ?? {}
    const isMeant = error?.code === 'InsufficientPermission' && typeof id === 'string' && typeof resource === 'string'
    return isMeant ? { id, resource } : undefined
  } catch {
    return undefined
  }
}

/** Empty when it cannot be had. */
async function catalogue(client: LocalClient): Promise<Answer<'permissions'>['value']> {
  try {
    return ((await client.call('GET', '/permissions', undefined, { patienceMs })) as Answer<'permissions'>).value
  } catch {
    return []
  }
}
