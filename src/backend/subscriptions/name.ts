// The body of POST and PUT: what a caller may say about a subscription.

import { Type } from 'typebox'

/** `{displayName}`: 1 to 256 code points, none of them a control character or half of a surrogate pair. */
export const SubscriptionName = Type.Object({
  displayName: Type.String({
    pattern: '^[^\\p{Cc}\\p{Cs}]{1,256}$',
    description: 'a text of 1 to 256 characters without control characters',
  }),
})

/** Fields of a subscription and its group that only the service sets. */
export const readOnlyFields = ['id', 'subscriptionId', 'state', 'name', 'location', 'properties']
