// Which act a request is, and what the tables of acts say of it.

import { always, lightActs, weightyActs } from './acts.js'

const reading: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** How an act is named in the tables; `url` begins with /api/v2. */
export function actOf(method: string, url: string): string {
  return `${method} ${url.replace(/^\/api\/v2/, '')}`
}

/** Whether this request asks a person for a recent sign-in. What changes something and stands in no table does. */
export function hasWeight(method: string, url: string, body: unknown): boolean {
  const act = actOf(method, url)
  if (reading.has(method) || Object.hasOwn(lightActs, act)) return false
  const weight = weightyActs[act] ?? always
  return weight(typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {})
}

/** What the document of the API says of a route, whose path is written as there: `/api/v2/keys/{kid}`. */
export function describeWeight(method: string, path: string): string | undefined {
  const weight = weightyActs[actOf(method, path.replace(/\{(\w+)\}/g, ':$1'))]
  if (weight === undefined) return undefined
  const what = weight === always ? 'People need' : 'For some of this people need'
  return `${what} a recent sign-in (401 RecentSignInRequired).`
}
