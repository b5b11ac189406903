// The states of a resource group's provisioning and the moves between them, as data. The specification shows only
// Succeeded; the rest is decision 0032.

import { ApiError } from '../http/answers/api-error.js'

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

/** Throws 409 while an operation on the resource group is still going on. */
export function checkSettled(state: ProvisioningState): void {
  if (provisioningStates[state].length === 0) return
  throw new ApiError(409, 'OperationInProgress', `The resource group is ${state}; try again when that has ended.`, {
    target: 'properties.provisioningState',
  })
}
