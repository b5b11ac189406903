// What is attacked, by whom, and what each of them may do.

import type { Attack } from '../support/models/attack-corpus.js'
import { pagesHost } from './configuration.js'

/** `outsider` has a token of the issuer outside, `foreign` one of ours for another resource. */
export type Who = 'nobody' | 'lacking' | 'revoked' | 'reader' | 'foreign' | 'outsider'

export interface Target {
  what: string
  method: string
  path: string
  /** The path at the service, where that is another one. */
  arrives?: string
  /** Nobody of ours may call it, or it leads to no service. */
  isClosed?: true
  /** The one that is requested, where it is another than the gate's first name. */
  host?: string
  /** The request asks for a WebSocket. */
  isHandshake?: true
  /** JSON that goes with what is not itself about bodies. */
  body?: string
  /** What is tried; the usual sections when left out. */
  sections?: readonly Attack['section'][]
  /** Who may, where that is not the reader. */
  friend?: Who
  /** One credential for each attack: its plain sister is attacked with several. */
  isBriefly?: true
}

const usualSections: readonly Attack['section'][] = ['targets', 'headers', 'framings', 'requests']
const shortly = { sections: ['targets', 'headers'], isBriefly: true } as const

/** `own` and `others` are tenants. */
export function targetsOf({ own, others }: { own: string; others: string }): readonly Target[] {
  return [
    { what: 'public', method: 'GET', path: '/open/thing' },
    { what: 'public, with a body', method: 'POST', path: '/open/box' },
    { what: 'guarded inside a public prefix', method: 'GET', path: '/open/admin', isClosed: true },
    { what: 'guarded', method: 'GET', path: '/guarded' },
    { what: 'guarded, with a body', method: 'POST', path: '/guarded', isClosed: true },
    { what: 'with a parameter', method: 'GET', path: '/items/7' },
    { what: 'a guarded prefix', method: 'GET', path: '/wide/a/b' },
    { what: 'more guarded inside it', method: 'GET', path: '/wide/admin', isClosed: true },
    { what: 'guarded by method', method: 'DELETE', path: '/methods', isClosed: true },
    { what: 'of another resource', method: 'GET', path: '/other', friend: 'foreign' },
    { what: 'with a prefix taken off', method: 'GET', path: '/mounted/a/b', arrives: '/base/a/b' },
    {
      what: 'with a prefix that is another behind',
      method: 'GET',
      path: '/old/7',
      arrives: '/base/new/7',
      isClosed: true,
    },
    { what: 'for streams', method: 'GET', path: '/live/7' },
    { what: 'for pages of another origin', method: 'GET', path: '/called/7' },
    { what: 'the bundled service', method: 'GET', path: '/api/v2/me' },
    { what: 'the bundled service, to change', method: 'PATCH', path: '/api/v2/me', isClosed: true },
    { what: 'the token endpoint’s other name', method: 'POST', path: '/API/v2/OAuth/token', isClosed: true },
    { what: 'userinfo', method: 'GET', path: '/api/v2/oauth2/v2.0/userinfo', isClosed: true },
    { what: 'management', method: 'GET', path: '/api/v2/applications', isClosed: true },
    { what: 'a page', method: 'GET', path: '/sign-in', isClosed: true },
    { what: 'nothing', method: 'GET', path: '/nowhere/at/all', isClosed: true },
    { what: 'with the caller in plain fields', method: 'GET', path: '/plain/7' },
    { what: 'the same, with a body', method: 'POST', path: '/plain/7', sections: ['framings'], isBriefly: true },
    { what: 'without the caller', method: 'GET', path: '/silent/7', ...shortly },
    { what: 'of the own tenant', method: 'GET', path: `/of/${own}/7`, ...shortly },
    { what: 'of another tenant', method: 'GET', path: `/of/${others}/7`, ...shortly, isClosed: true },
    { what: 'described', method: 'GET', path: '/described/7', ...shortly },
    {
      ...{ what: 'described, with a body', method: 'POST', path: '/described/7', body: '{"name":"a"}' },
      sections: [...usualSections, 'bodies'],
    },
    { what: 'an MCP server', method: 'POST', path: '/desk/mcp', body: toolCall('list') },
    {
      ...{ what: 'an MCP server, a tool that is not theirs', method: 'POST', path: '/desk/mcp' },
      // A session may be opened there all the same.
      ...{ body: toolCall('close'), isBriefly: true },
    },
    { what: 'a session of an MCP server', method: 'GET', path: '/desk/mcp', ...shortly },
    { what: 'of an issuer outside', method: 'GET', path: '/outside/7', friend: 'outsider' },
    { what: 'of either issuer', method: 'GET', path: '/either/7', friend: 'outsider', ...shortly },
    { what: 'for one application alone', method: 'GET', path: '/chosen/7', ...shortly, isClosed: true },
    { what: 'pages beside sign-in', method: 'GET', path: '/shown/7', ...shortly, isClosed: true },
    { what: 'pages on their own host', method: 'GET', path: '/shown/7', host: pagesHost, ...shortly },
    { what: 'only watched', method: 'GET', path: '/watched/7', ...shortly },
    ...handshakes,
  ]
}

/** A message without fields of its own, as clients of the oldest revision send it. */
export function toolCall(name: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
}

const handshakes: readonly Target[] = [
  {
    ...{ what: 'a WebSocket', method: 'GET', path: '/live/7', isHandshake: true },
    sections: [...usualSections, 'handshakes'],
  },
  {
    ...{ what: 'a WebSocket for all', method: 'GET', path: '/talk/7', isHandshake: true, isBriefly: true },
    sections: ['targets', 'handshakes'],
  },
  {
    ...{ what: 'a WebSocket where there is none', method: 'GET', path: '/items/7', isHandshake: true, isBriefly: true },
    ...{ sections: ['targets', 'handshakes'], isClosed: true },
  },
  {
    ...{ what: 'a WebSocket that its service refuses', method: 'GET', path: '/talk/refused', isHandshake: true },
    ...{ sections: ['handshakes', 'headers'], isBriefly: true },
  },
  {
    ...{
      what: 'a WebSocket that its service answers wrongly',
      method: 'GET',
      path: '/talk/wrongly',
      isHandshake: true,
    },
    ...{ sections: ['handshakes'], isBriefly: true },
  },
]

/** The service is at fault there, and the answer says so. */
export function isAnsweredWrongly({ path }: Target): boolean {
  return path === '/talk/wrongly'
}

export function isTried({ sections = usualSections }: Target, { section }: Attack): boolean {
  return sections.includes(section)
}

/** What a service may take a request for: the permission that its path and method need, `public`, or nothing known. */
export function needOf(method: string, path: string): string | undefined {
  const reads = method === 'GET' || method === 'HEAD'
  if (path === '/open/admin' || path === '/wide/admin') return 'write'
  if (/^\/(open|talk)\//.test(path)) return 'public'
  if (path === '/guarded' || path === '/methods' || path === '/api/v2/me') return reads ? 'read' : 'write'
  if (path.startsWith('/base/new/')) return 'write'
  const tenant = /^\/of\/([^/]+)\//.exec(path)?.[1]
  if (tenant !== undefined) return `read of ${tenant}`
  if (/^\/(items|wide|base|live|called|plain|silent|described)\//.test(path)) return 'read'
  if (path === '/desk/mcp') return 'read'
  return /^\/(other|outside|either|chosen|shown|watched)(?:\/|$)/.exec(path)?.[1]
}

/** What each of them may do, as it should be. */
export function heldBy(who: Who, { own }: { own: string }, host: string | undefined): readonly string[] {
  const all = ['public', 'watched']
  if (who === 'reader') return [...all, 'read', `read of ${own}`, 'either', ...(host === pagesHost ? ['shown'] : [])]
  if (who === 'foreign') return [...all, 'other']
  return who === 'outsider' ? [...all, 'outside', 'either'] : all
}
