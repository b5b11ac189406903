// What the chapters of the management API have in common, as operations.ts and the files beside routes write them.

import type { DescribedOperation, OperationGroup } from '../http/described-operations.js'

/** A chapter of the reference: its operations by method and path. */
export const chapter = (
  tag: string,
  description: string,
  operations: OperationGroup['operations'],
): OperationGroup => ({
  tag,
  description,
  family: 'api',
  security: [],
  operations: Object.fromEntries(Object.entries(operations).map(([key, text]) => [key, withAmbiguity(key, text)])),
})

/** An application may be named by its name, which several may have. */
function withAmbiguity(key: string, [id, summary, more = {}]: DescribedOperation): DescribedOperation {
  if (!key.includes('/applications/{id}')) return [id, summary, more]
  return [id, summary, { ...more, refusals: [...(more.refusals ?? []), 409] }]
}
/** It has an entity tag. */
export const tagged = { tagged: true } as const
/** The list of a tenant or a person that there may not be. */
export const ofOne = { refusals: [404] } as const
/** Somebody was faster, or something stands in the way. */
export const decided = { refusals: [409] } as const
