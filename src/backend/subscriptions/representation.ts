// What a subscription and its resource group look like outside: lists of what may go out, not copies of what is there.

import type { ResourceGroup, Subscription } from '../source.js'

/** The subscription as the specification lists it (§2.2). */
export function subscriptionBody(subscription: Subscription) {
  const { id, subscriptionId, displayName, state } = subscription
  return { id, subscriptionId, displayName, state }
}

/** The resource group as the specification shows it (§2.3). */
export function groupBody(group: ResourceGroup) {
  const { id, name, location, provisioningState } = group
  return { id, name, location, properties: { provisioningState } }
}
