// Who has how much under way. A caller is the party that a request can be held against: the person, the application
// that acts for itself, or, without a token, the address, which of IPv6 is its /48. Callers belong to groups: their
// application, their tenant, or those without a token.

import type { TokenPrincipal } from '../../access/principal.js'
import { addressGroup, addressNetwork } from '../../limits/address-group.js'

/** What one caller or group has under way. */
export interface Tally {
  underWay: number
  /** Of them those that have begun at the upstream. */
  running: number
}

/** Idle ones that are kept, because most callers come again; a table that changes at each request is costly. */
const idleKept = 1_024

/**
 * Numbers by key. Those of callers with nothing under way are forgotten in bulk, so memory follows what is under
 * way.
 */
export class Tallies {
  readonly #byKey = new Map<string, Tally>()
  #purgeAt = 2 * idleKept

  of(key: string): Tally {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    if (this.#byKey.size >= this.#purgeAt) this.#purge()
    const made = { underWay: 0, running: 0 }
    this.#byKey.set(key, made)
    return made
  }

  get size(): number {
    return this.#byKey.size
  }

  #purge(): void {
    for (const [key, { underWay }] of this.#byKey) if (underWay === 0) this.#byKey.delete(key)
    this.#purgeAt = Math.max(2 * idleKept, 2 * this.#byKey.size)
  }
}

/** Who sent a request; without a token only its address is known. */
export interface Sender {
  readonly principal: TokenPrincipal | undefined
  readonly address: string
}

/** The name of a caller among all of them. */
export function callerKey({ principal, address }: Sender): string {
  if (principal === undefined) return `address ${withoutToken(address)}`
  return principal.kind === 'delegated' ? `user ${principal.userId}` : `application ${principal.applicationId}`
}

/** One customer has a whole /48 of IPv6: 65,536 addresses that look like as many callers. */
function withoutToken(address: string): string {
  return addressNetwork(address) ?? addressGroup(address)
}

/**
 * The tallies of callers and groups at one place. A table for each kind, so that no key is put together per request.
 */
export class CallerTallies {
  readonly #addresses = new Tallies()
  readonly #applications = new Tallies()
  readonly #users = new Tallies()
  readonly #byApplication = new Tallies()
  readonly #byTenant = new Tallies()
  readonly #anonymous: Tally = { underWay: 0, running: 0 }

  caller(principal: TokenPrincipal | undefined, address: string): Tally {
    if (principal === undefined) return this.#addresses.of(withoutToken(address))
    if (principal.kind === 'delegated') return this.#users.of(principal.userId)
    return this.#applications.of(principal.applicationId)
  }

  /** Its first group: its application, or all without a token. */
  group(principal: TokenPrincipal | undefined): Tally {
    return principal === undefined ? this.#anonymous : this.#byApplication.of(principal.applicationId)
  }

  /** Its second group, its tenant; without a token there is none. */
  tenant(principal: TokenPrincipal | undefined): Tally | undefined {
    return principal === undefined ? undefined : this.#byTenant.of(principal.tenantId)
  }
}
