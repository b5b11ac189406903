// Which of several targets gets a request: in turn, whichever has less to do, or always the same one for the same
// caller. Each by weight.

import type { TokenPrincipal } from '../../access/principal.js'
import type { UpstreamSettings } from '../../config/settings/upstream-settings.js'
import type { Target } from './target.js'

/** Picks one of `among`, of which there is at least one. On public routes there is no principal. */
export type Balance = (among: readonly Target[], principal: TokenPrincipal | undefined, address: string) => Target

/** `random`: from 0 up to 1. */
export function balanceBy(balance: UpstreamSettings['balance'], random: () => number = Math.random): Balance {
  if (balance === 'round-robin') return inTurn()
  if (balance === 'least-requests') return leastRequests(random)
  return byHash(balance.hash)
}

/** Smooth: a target of weight 2 beside one of weight 1 gets a, b, a, not a, a, b. */
function inTurn(): Balance {
  const credits = new Map<Target, number>()
  return (among) => {
    let chosen = among[0] as Target
    let most = Number.NEGATIVE_INFINITY
    let total = 0
    for (const target of among) {
      const credit = (credits.get(target) ?? 0) + target.weight
      credits.set(target, credit)
      total += target.weight
      if (credit > most) {
        most = credit
        chosen = target
      }
    }
    credits.set(chosen, most - total)
    return chosen
  }
}

/**
 * Of two that chance picks the one with less to do: nearly as even as the least of all, and nobody runs after one
 * target.
 */
function leastRequests(random: () => number): Balance {
  const draw = (among: readonly Target[], but: Target | undefined): Target | undefined => {
    let left = 0
    for (const target of among) if (target !== but) left += target.weight
    left *= random()
    for (const target of among) {
      if (target === but) continue
      left -= target.weight
      if (left < 0) return target
    }
    return undefined
  }
  return (among) => {
    const one = draw(among, undefined) ?? (among[0] as Target)
    const two = draw(among, one)
    return two !== undefined && two.inFlight / two.weight < one.inFlight / one.weight ? two : one
  }
}

/**
 * Rendezvous hashing: each target has a score for the caller, and the best one wins. A target that goes takes nobody
 * with it but its own callers, and they spread over all others.
 */
function byHash(by: 'application' | 'tenant' | 'user' | 'address'): Balance {
  const seeds = new WeakMap<Target, number>()
  const seedOf = (target: Target) => {
    const known = seeds.get(target)
    if (known !== undefined) return known
    const seed = hashText(target.label)
    seeds.set(target, seed)
    return seed
  }
  return (among, principal, address) => {
    const key = hashText(callerKey(by, principal, address))
    let chosen = among[0] as Target
    let best = Number.POSITIVE_INFINITY
    for (const target of among) {
      const evenly = (mixed(key ^ seedOf(target)) + 0.5) / 2 ** 32
      const score = -Math.log(evenly) / target.weight
      if (score < best) {
        best = score
        chosen = target
      }
    }
    return chosen
  }
}

/** A caller without that identity goes by the next one that there is. */
function callerKey(by: string, principal: TokenPrincipal | undefined, address: string): string {
  if (principal === undefined || by === 'address') return address
  if (by === 'tenant') return principal.tenantId
  return by === 'user' && principal.kind === 'delegated' ? principal.userId : principal.applicationId
}

/** FNV-1a. Nothing secret, and nobody gains by a collision. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** MurmurHash3's finisher: every bit of the result depends on every bit of `value`. */
function mixed(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
