// Whether somebody has signed in with this browser before. Guesses at a password are bounded for each account, over all
// addresses; a browser that its owner has used before is outside of that bound, so that nobody locks them out. The
// cookie opens nothing and names nobody: it holds a random id for each person, and a MAC that only fits this person.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageDependencies } from './dependencies.js'

type Deps = Pick<PageDependencies, 'derive' | 'now'>

const name = '__Host-portcullis-device'
const lifetimeSeconds = 180 * 86_400
const attributes = { secure: true, httpOnly: true, sameSite: 'lax', path: '/', maxAge: lifetimeSeconds } as const
/** People who share a browser; the person who signed in longest ago is forgotten first. */
const mostPeople = 5
const idBytes = 12
const timeBytes = 6
const macBytes = 32
const entryBytes = idBytes + timeBytes + macBytes

/**
 * How this browser is counted when somebody tries to sign in as `userId`: the id of its earlier success, undefined when
 * there was none. The same work for a person who does not exist: the empty id.
 */
export function knownDevice(deps: Deps, request: FastifyRequest): (userId: string) => string | undefined {
  const entries = entriesOf(request)
  return (userId) => entries.map((entry) => idOf(deps, entry, userId)).find((id) => id !== undefined)
}

/** Remembers that this person has just signed in here. */
export function rememberDevice(deps: Deps, request: FastifyRequest, reply: FastifyReply, userId: string): void {
  const others = entriesOf(request).filter((entry) => idOf(deps, entry, userId) === undefined)
  const entry = newEntry(deps, userId)
  const value = [entry, ...others.slice(0, mostPeople - 1)].map((each) => each.toString('base64url')).join('.')
  reply.setCookie(name, value, attributes)
}

function entriesOf(request: FastifyRequest): Buffer[] {
  const written = (request.cookies[name] ?? '').split('.', mostPeople)
  return written.map((text) => Buffer.from(text, 'base64url')).filter(({ byteLength }) => byteLength === entryBytes)
}

function newEntry(deps: Deps, userId: string): Buffer {
  const time = Buffer.alloc(timeBytes)
  time.writeUIntBE(deps.now(), 0, timeBytes)
  const head = Buffer.concat([randomBytes(idBytes), time])
  const [key] = deps.derive('known-device')
  if (key === undefined) throw new Error('there is no key for known devices')
  return Buffer.concat([head, mac(key, head, userId)])
}

function idOf(deps: Deps, entry: Buffer, userId: string): string | undefined {
  const head = entry.subarray(0, idBytes + timeBytes)
  const presented = entry.subarray(head.byteLength)
  const known = deps.derive('known-device').some((key) => timingSafeEqual(mac(key, head, userId), presented))
  const isOver = head.readUIntBE(idBytes, timeBytes) + lifetimeSeconds * 1000 <= deps.now()
  return known && !isOver ? head.toString('base64url') : undefined
}

function mac(key: Uint8Array, head: Uint8Array, userId: string): Buffer {
  return createHmac('sha256', key).update(head).update(userId).digest()
}
