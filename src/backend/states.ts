// The states of subscriptions and resource groups and the moves between them, as data. A move that is not in a table is
// refused with 409. The specification shows only Enabled and Succeeded; the rest is decision 0032.

import { ApiError } from '../http/api-error.js'

/** `writable`: its content may be changed. `next`: the states that an administrator may move it to, or DELETE (Deleted). */
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

/** Every state that a resource group's provisioning can be in. */
export type ProvisioningState = 'Accepted' | 'Creating' | 'Updating' | 'Deleting' | 'Succeeded' | 'Failed' | 'Canceled'

/** The moves within one operation; the terminal states have none, and only from them may another operation begin. */
export const provisioningStates: Readonly<Record<ProvisioningState, readonly ProvisioningState[]>> = {
  Accepted: ['Creating', 'Updating', 'Deleting', 'Failed', 'Canceled'],
  Creating: ['Succeeded', 'Failed', 'Canceled'],
  Updating: ['Succeeded', 'Failed', 'Canceled'],
  Deleting: ['Succeeded', 'Failed', 'Canceled'],
  Succeeded: [],
  Failed: [],
  Canceled: [],
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

/** Throws 409 while an operation on the resource group is still going on. */
export function checkSettled(state: ProvisioningState): void {
  if (provisioningStates[state].length === 0) return
  throw new ApiError(409, 'OperationInProgress', `The resource group is ${state}; try again when that has ended.`, {
    target: 'properties.provisioningState',
  })
}
