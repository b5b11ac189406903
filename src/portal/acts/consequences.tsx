// What hangs on something that is about to stop, on the pages that ask: its numbers, and the answer that the form sends.

import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { Consequences } from '../../management/stopping/consequence-schemas.js'
import { consequenceLines } from '../../management/stopping/consequence-words.js'
import { Facts } from '../../web/pages/elements.js'
import type { PortalContext } from '../context.js'

/** What the answer is called; pages that put the question themselves send it along. */
export const answered = { confirmed: 'yes' } as const

/** The numbers at a path below /api/v2; undefined for who may not see them. Throws ApiError. */
export function readConsequences(context: PortalContext, path: string): Promise<Consequences | undefined> {
  return context.api<Consequences>('GET', path).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return undefined
  })
}

/** What hangs on something, on a page that puts the question. */
export function ConsequenceFacts({ counts }: { counts: Consequences | undefined }): VNode | null {
  return counts === undefined ? null : <Facts id="consequences" rows={consequenceLines(counts)} />
}
