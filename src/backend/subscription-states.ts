// The states of a subscription and the moves between them, as data. A move that is not in the table is refused with
// 409. The specification shows only Enabled; the rest is decision 0032.

import { ApiError } from '../http/answers/api-error.js'

/**
 * `writable`: its content may be changed. `next`: the states that an administrator may move it to, or DELETE (Deleted).
 */
interface SubscriptionStateRow {
  writable: boolean
  next: readonly SubscriptionState[]
}

/** Every state that a subscription can be in. */
export type SubscriptionState = 'Enabled' | 'Warned' | 'PastDue' | 'Disabled' | 'Expired' | 'Deleted'

/** Disabled can be lifted again, that is what it is for; Expired only leads to Deleted, and Deleted nowhere. */
export const subscriptionStates: Readonly<Record<SubscriptionState, SubscriptionStateRow>> = {
  Enabled: { writable: true, next: ['Warned', 'PastDue', 'Disabled', 'Expired', 'Deleted'] },
  Warned: { writable: true, next: ['Enabled', 'PastDue', 'Disabled', 'Expired', 'Deleted'] },
  PastDue: { writable: true, next: ['Enabled', 'Warned', 'Disabled', 'Expired', 'Deleted'] },
  Disabled: { writable: false, next: ['Enabled', 'Expired', 'Deleted'] },
  Expired: { writable: false, next: ['Deleted'] },
  Deleted: { writable: false, next: [] },
}

/** Throws 409 when the content of a subscription in this state may not be changed. */
export function checkWritable(state: SubscriptionState): void {
  if (subscriptionStates[state].writable) return
  throw new ApiError(409, 'SubscriptionReadOnly', `A subscription that is ${state} can only be read and deleted.`, {
    target: 'state',
  })
}

/** Throws 409 when the table has no such move. */
export function checkMove(from: SubscriptionState, to: SubscriptionState): void {
  const { next } = subscriptionStates[from]
  if (next.includes(to)) return
  const possible = next.filter((state) => state !== 'Deleted')
  const hint = possible.length === 0 ? 'It can only be deleted.' : `From ${from} it can become ${possible.join(', ')}.`
  throw new ApiError(409, 'StateTransitionRefused', `A subscription that is ${from} cannot become ${to}. ${hint}`, {
    target: 'state',
  })
}
