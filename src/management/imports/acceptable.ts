// Holds what was converted to the rules of a registration, so that one bad redirect URI costs that URI and no more, and
// a dry run says what the run will say.

import { checkName } from '../../directory/applications/names.js'
import { checkClientKeys } from '../../directory/credentials/client-keys.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { redirectUriProblem } from '../../oauth/requests/redirect-uri.js'
import type { Body } from '../schemas.js'
import type { Imported, Note } from './sources/conversion.js'

type Keys = NonNullable<Body<'createApplication'>['jwks']>

/** Without what the rules refuse, which is among the notes. */
export interface Acceptable extends Imported {
  keys: Keys | undefined
  /** Why it cannot be registered at all. */
  refused: string | undefined
}

const mostUris = 100
/** Of one list: what is beyond is not even looked at. */
const mostRead = 1_000
/** Longer ones are no redirect URIs here. */
const longestUri = 2_048

/** All of them at once, as `distinctOnes` and `acceptable` make each. */
export function acceptableOnes(all: readonly Imported[]): Acceptable[] {
  return distinctOnes(all).map(acceptable)
}

/** With distinct names: two clients may well be called alike where they have identifiers. */
export function distinctOnes<One extends Imported>(all: readonly One[]): One[] {
  const names = distinctNames(all)
  return all.map((one, at) => ({ ...one, name: names[at] ?? one.name }))
}

/** One of them, held to the rules. */
export function acceptable(one: Imported): Acceptable {
  const notes = [...one.notes]
  const { keys, keyNotes } = keysOf(one)
  return {
    ...one,
    redirectUris: urisOf('redirect URI', one.redirectUris, one.type, notes),
    logoutRedirectUris: urisOf('logout redirect URI', one.logoutRedirectUris, one.type, notes),
    publisher: refusalOf(() => checkName(one.publisher, 'publisher', 'publisher')) === undefined ? one.publisher : '',
    keys,
    notes: [...notes, ...keyNotes],
    refused: refusalOf(() => checkName(one.name, 'name', 'application')),
  }
}

/** A URI that is refused in one list is told once. */
function urisOf(field: string, uris: readonly string[], type: Imported['type'], notes: Note[]): string[] {
  const noted = new Set(notes.map(({ field: noted }) => noted.replace(/^(?:logout )?redirect URI /, '')))
  const distinct = unique(uris)
  if (distinct.length > mostRead)
    notes.push({ field, message: `only the first ${mostRead} of ${distinct.length} are read` })
  const kept = distinct.slice(0, mostRead).filter((uri) => {
    const problem = redirectUriProblem(uri, type)
    const masked = withoutUserInfo(uri)
    const shown = masked.length > 200 ? `${masked.slice(0, 200)}…` : masked
    if (problem !== undefined && !noted.has(shown)) notes.push({ field: `${field} ${shown}`, message: problem })
    return problem === undefined
  })
  if (kept.length > mostUris) notes.push({ field, message: `only the first ${mostUris} of ${kept.length} are taken` })
  return kept.slice(0, mostUris)
}

/** A password that somebody wrote into an address is in no note: RFC 3986 §3.2.1, and whatever is only meant for one. */
function withoutUserInfo(uri: string): string {
  return uri.replace(/(?<![^/?#])[^/?#]+@/g, '…@')
}

/** Each once. Long ones are all refused, and kept apart: a set compares texts of one length with each other. */
function unique(uris: readonly string[]): string[] {
  const isLong = (uri: string) => uri.length > longestUri
  return [...new Set(uris.filter((uri) => !isLong(uri))), ...uris.filter(isLong).slice(0, mostUris)]
}

/** `undefined` stands for no keys; one that proves itself by a set that is refused is left with a secret. */
function keysOf({ jwks, provesByKey }: Imported): { keys: Keys | undefined; keyNotes: Note[] } {
  if (jwks === undefined) return { keys: undefined, keyNotes: [] }
  try {
    return { keys: { keys: [...checkClientKeys(jwks).keys] }, keyNotes: [] }
  } catch (error) {
    if (!(error instanceof DirectoryRefusal)) throw error
    const instead = provesByKey ? ' It gets a secret until its keys are registered: app set --jwks' : ''
    const message = error.message + instead
    return { keys: undefined, keyNotes: [{ field: 'jwks', message }] }
  }
}

function refusalOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof DirectoryRefusal) return error.message
    throw error
  }
}

function distinctNames(all: readonly Imported[]): string[] {
  const stored = all.map(({ name }) => name.normalize('NFC').trim())
  const uses = new Map<string, number>()
  for (const name of stored) uses.set(name, (uses.get(name) ?? 0) + 1)
  const counted = new Map<string, number>()
  return stored.map((name, at) => {
    const own = (uses.get(name) ?? 0) > 1 ? `${name} (${all[at]?.sourceId})` : name
    const count = (counted.get(own) ?? 0) + 1
    counted.set(own, count)
    return count === 1 ? own : `${own} ${count}`
  })
}
