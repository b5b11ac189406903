// Each attack at each target, with one or several credentials.

import type { Attack } from '../support/models/attack-corpus.js'
import { isTried, needOf, type Target, type Who } from './targets.js'

export interface Attempt {
  attack: Attack
  target: Target
  who: Who
}

const all: readonly Who[] = ['nobody', 'reader', 'lacking', 'revoked', 'foreign', 'outsider']

/** All of them. Where there is nothing to lose one credential is enough; elsewhere the rarer ones take turns. */
export function attemptsOf(attacks: readonly Attack[], targets: readonly Target[]): Attempt[] {
  const attempts: Attempt[] = []
  for (const [number, attack] of attacks.entries()) {
    for (const [index, target] of targets.entries()) {
      if (!isTried(target, attack)) continue
      const turn = attempts.length + number
      const whole = target.isBriefly ? [oneInTurn(number + index, target)] : severalInTurn(turn, target)
      for (const who of whole) attempts.push({ attack, target, who })
    }
  }
  return attempts
}

function severalInTurn(turn: number, target: Target): readonly Who[] {
  const { friend = 'reader' } = target
  if (!isGuarded(target)) return [turn % 2 === 0 ? 'nobody' : friend]
  const others = all.filter((who) => who !== 'nobody' && who !== friend)
  return ['nobody', friend, ...(turn % 2 === 0 ? [others[(turn / 2) % others.length] as Who] : [])]
}

/** Anyone who may comes every other time: the others are mostly refused before anything else is looked at. */
function oneInTurn(turn: number, { friend = 'reader' }: Target): Who {
  if (turn % 2 === 0) return friend
  const others = all.filter((who) => who !== friend)
  return others[((turn - 1) / 2) % others.length] as Who
}

function isGuarded({ method, path, arrives = path }: Target): boolean {
  const need = needOf(method, arrives)
  return need !== undefined && need !== 'public'
}

export function describe({ target, who }: Attempt): string {
  return `${target.what}, ${who}`
}
