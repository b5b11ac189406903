// Whether a change stops what works for others, and what is said about it before it is done: looked up in the table of
// acts, with what is changed read where it depends on that.

import type { Fields } from './losses.js'
import type { StoppingAct } from './stopping-act.js'
import { stoppingActs } from './stopping-acts.js'

/** A change that is about to be sent; `path` below /api/v2, with or without a query. */
export interface Change {
  method: string
  path: string
  body?: unknown
}

export interface Stop {
  /** Such as `Switch off Contoso?`. */
  question: string
  what: string
  /** How it is taken back, or that it cannot be. */
  undo: string
  button: string
  /** Below /api/v2: where the numbers are; undefined when nothing is counted. */
  consequences: string | undefined
}

/**
 * What to say before the change is sent; undefined when it stops nobody. `read` answers a GET below /api/v2, or
 * undefined for what the caller may not see: then the question has fewer words, and is put all the same.
 */
export async function findStop(
  change: Change,
  read: (path: string) => Promise<Fields | undefined>,
): Promise<Stop | undefined> {
  const found = actsOf(change)
  if (found === undefined) return undefined
  const body = (change.body ?? {}) as Fields
  for (const act of found.acts) {
    const counted = filled(act.counted, { ...found.params, ...body })
    const has = act.compares === undefined || act.compares.some((field) => body[field] !== undefined)
    if (!has) continue
    const now = act.compares === undefined || counted === undefined ? undefined : await read(counted)
    // What cannot be compared is taken for something that stops.
    const isHidden = act.compares !== undefined && now === undefined
    const stops = isHidden || act.stops?.(body, { ...now, tenantId: placeOf(found.params, now) }) !== false
    if (!stops) continue
    const isNamed = act.question.includes('{name}')
    const thing = now ?? (counted === undefined || !isNamed ? body : await read(counted))
    return said(act, {
      counted,
      asks: act.asks?.(body, now ?? {}),
      thing,
      tenantId: found.params['tenantId'] ?? body['tenantId'],
    })
  }
  return undefined
}

/** The tenant of the path where there is one; else of the thing itself. */
function placeOf(params: Readonly<Record<string, string>>, now: Fields | undefined): unknown {
  return Object.hasOwn(params, 'userId') ? params['id'] : now?.['tenantId']
}

interface About {
  counted: string | undefined
  asks: string | undefined
  thing: Fields | undefined
  /** Where it stops, when that is said. */
  tenantId: unknown
}

function said({ question, what, undo, button }: StoppingAct, { counted, asks, thing, tenantId }: About): Stop {
  const named = [thing?.['name'], thing?.['email']].find((text) => typeof text === 'string' && text !== '')
  const kind = kinds.find(([path]) => counted?.startsWith(path))?.[1] ?? 'it'
  const place = typeof tenantId === 'string' && kind === 'this application' ? `?tenantId=${tenantId}` : ''
  return {
    question: question.replace('{name}', () => String(named ?? kind)),
    what,
    undo,
    button,
    consequences: counted === undefined ? undefined : `${counted}/consequences${asks ?? place}`,
  }
}

/** For what may not be seen. */
const kinds = [
  ['/applications/', 'this application'],
  ['/users/', 'this person'],
  ['/tenants/', 'this tenant'],
] as const

function actsOf({ method, path }: Change) {
  const segments = (path.split('?', 1)[0] ?? '').split('/')
  for (const [name, acts] of Object.entries(stoppingActs)) {
    const [actMethod, pattern = ''] = name.split(' ')
    const params = actMethod === method ? paramsOf(pattern.split('/'), segments) : undefined
    if (params !== undefined) return { acts, params }
  }
  return undefined
}

/** As they stand in the path, so still encoded. */
function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = segment
    else if (part !== segment) return undefined
  }
  return params
}

/** `:id` is of the path, `{id}` of the body. */
function filled(pattern: string | undefined, values: Fields): string | undefined {
  return pattern
    ?.replace(/:(\w+)/g, (_whole, name: string) => String(values[name]))
    .replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(values[name])))
}
