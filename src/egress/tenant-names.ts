// Names that tenants choose, such as those of webhooks and issuers. They are resolved by DNS over sockets, not in the
// few threads in which the system's resolver works: a name whose DNS is silent keeps nobody else waiting. /etc/hosts is
// not for them.

import { type LookupAddress, type LookupOptions, Resolver } from 'node:dns'

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** As `dns.lookup` with `all: true`. */
export type ResolveAll = (name: string, options: LookupOptions, found: Found) => void

export interface TenantNamesOptions {
  /** For one query to a name server, and how often it is sent; for the whole name. */
  timeoutMs?: number
  tries?: number
  wholeMs?: number
  /** Names that are looked up at once; the others wait, within `wholeMs`. */
  atOnce?: number
  /** How long what was found, and what was not, is remembered. */
  rememberMs?: number
  /** `host:port` of DNS servers instead of the system's. */
  servers?: readonly string[]
}

interface Answer {
  error: NodeJS.ErrnoException | null
  addresses: LookupAddress[]
}

/** One name, and who waits for it. */
interface Asking {
  name: string
  tenant: string
  waiting: Found[]
  deadline: NodeJS.Timeout
  resolver: Resolver | undefined
}

const mostRemembered = 1_000
const mostWaiting = 1_024
const mostWaitingOfOne = 32
const mostOfOne = 2

/**
 * Answers the look-up of each tenant, or whatever else stands for who chose a name: two names of one are looked up at
 * once.
 */
export function createTenantNames(options: TenantNamesOptions = {}): (tenant: string) => ResolveAll {
  const { timeoutMs = 1_500, tries = 2, wholeMs = 5_000, atOnce = 64, rememberMs = 5_000, servers } = options
  const remembered = new Map<string, Answer>()
  const lookups = new Set<Asking>()
  const started = new Map<string, number>()
  let underWay = 0

  const finish = (asking: Asking, answer: Answer) => {
    if (!lookups.delete(asking)) return
    clearTimeout(asking.deadline)
    if (asking.resolver !== undefined) {
      asking.resolver.cancel()
      underWay -= 1
      countDown(started, asking.tenant)
    }
    // Who only waited in the line of its own tenant has learned nothing of the name.
    if (asking.resolver !== undefined && remembered.size < mostRemembered) {
      remembered.set(asking.name, answer)
      setTimeout(() => remembered.delete(asking.name), rememberMs).unref()
    }
    for (const found of asking.waiting) found(answer.error, answer.addresses)
    beginNext()
  }
  const beginNext = () => {
    for (const asking of lookups) {
      if (underWay >= atOnce) return
      const ofTenant = started.get(asking.tenant) ?? 0
      if (asking.resolver !== undefined || ofTenant >= mostOfOne) continue
      underWay += 1
      started.set(asking.tenant, ofTenant + 1)
      asking.resolver = new Resolver({ timeout: timeoutMs, tries })
      if (servers !== undefined) asking.resolver.setServers(servers)
      ask(asking.resolver, asking.name, (answer) => finish(asking, answer))
    }
  }
  return (tenant) =>
    (written, { family }, found) => {
      const name = written.toLowerCase()
      const fitting: Found = (error, addresses) =>
        found(error, family === 4 || family === 6 ? addresses.filter((one) => one.family === family) : addresses)
      const known = remembered.get(name)
      if (known !== undefined) return void process.nextTick(fitting, known.error, known.addresses)
      const ofTenant = [...lookups].filter((one) => one.tenant === tenant)
      const before = ofTenant.find((one) => one.name === name)
      if (before !== undefined) return void before.waiting.push(fitting)
      if (lookups.size >= mostWaiting || ofTenant.length >= mostWaitingOfOne)
        return void process.nextTick(fitting, failed(name, 'EAI_AGAIN'), [])
      const deadline = setTimeout(() => finish(asking, { error: failed(name, 'EAI_AGAIN'), addresses: [] }), wholeMs)
      const asking: Asking = { name, tenant, waiting: [fitting], deadline: deadline.unref(), resolver: undefined }
      lookups.add(asking)
      beginNext()
    }
}

/** Both families; what one of them has is enough. */
function ask(resolver: Resolver, name: string, done: (answer: Answer) => void): void {
  const found: LookupAddress[] = []
  let failure: NodeJS.ErrnoException | null = null
  let left = 2
  const settle = (family: 4 | 6) => (error: NodeJS.ErrnoException | null, addresses: string[] | undefined) => {
    left -= 1
    if (error === null) found.push(...(addresses ?? []).map((address) => ({ address, family })))
    else failure = error
    if (left > 0) return
    // As the system's resolver says it, so that callers that read codes know one set of them.
    const isNothing = failure === null || ['ENOTFOUND', 'ENODATA'].includes(failure.code ?? '')
    done({
      error: found.length > 0 ? null : failed(name, isNothing ? 'ENOTFOUND' : 'EAI_AGAIN'),
      addresses: found,
    })
  }
  resolver.resolve4(name, settle(4))
  resolver.resolve6(name, settle(6))
}

function failed(name: string, code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${name}`), { code })
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}

/** Stands for who chose a name where that is not known: the last two labels of it. */
export function domainOf(name: string): string {
  return name
    .toLowerCase()
    .split('.')
    .filter((label) => label !== '')
    .slice(-2)
    .join('.')
}
