// Settings are frozen all the way down: a request may keep what it began with.

/** The same value; it, and all that it holds, cannot be changed any more. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map) for (const item of value.values()) frozen(item)
  else for (const item of Object.values(value)) frozen(item)
  return Object.freeze(value)
}
