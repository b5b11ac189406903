// A secret that no output shows by accident: it is held in a closure, so neither JSON, nor a template string, nor an
// inspection with hidden properties finds it.

import { inspect } from 'node:util'

/** Kept apart from strings so that no output shows it by accident: toString and toJSON give `***`. */
export interface SecretValue {
  reveal(): string
}

/** What stands wherever a secret would. */
const MASK = '***'

/** Wraps a secret; only `reveal()` gives it back. */
export function secretValue(text: string): SecretValue {
  const masked = () => MASK
  return Object.freeze({ reveal: () => text, toString: masked, toJSON: masked, [inspect.custom]: masked })
}
