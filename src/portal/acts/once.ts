// Each showing of a form is carried out once: who loads the page again that showed a private key, or clicks twice, makes
// nothing twice and ends nothing twice (decision 121). A form says which showing it is; what was done for it is noted in
// the Store, where every instance sees it.

import { createHash } from 'node:crypto'
import { ApiError } from '../../http/answers/api-error.js'
import type { InProcessCall } from '../../management/access/in-process-transport.js'
import { insertSingleUse, removeSingleUse } from '../../storage/sql/grants/single-uses.js'
import type { Store } from '../../storage/sql/store.js'
import { PageError } from '../../web/pages/page-error.js'

/** Longer than anybody leaves a page open that they still mean to send. */
const keptMs = 7 * 86_400_000

/** They change nothing, so they may be repeated. */
const repeatable: ReadonlySet<string> = new Set(['/explain', '/auditEvents/verification', '/imports/plan'])

/** A form that was sent: by whom, and which showing of which page. */
export interface SentForm {
  userId: string
  shownAs: string | undefined
  /** The page, with its query. */
  address: string
}

/**
 * Carries a call out unless it was already, for this showing of the form and with this content. Other methods than POST
 * say how something shall be and may come twice. What was refused was not done, so it may be sent again. Throws
 * PageError 409 for the second.
 */
export async function doOnce<T>(
  deps: { store: Store; now: () => number },
  form: SentForm,
  call: InProcessCall,
  work: () => Promise<T>,
): Promise<T> {
  if (call.method !== 'POST' || repeatable.has(call.path)) return work()
  const idHash = hashOf(form, call)
  const row = { id_hash: idHash, purpose: 'form', expires_at: deps.now() + keptMs }
  if (!(await deps.store.transaction((tx) => insertSingleUse(tx, row)))) throw doneAlready(form)
  try {
    return await work()
  } catch (error) {
    const wasRefused = error instanceof ApiError && error.status < 500
    if (wasRefused) await deps.store.transaction((tx) => removeSingleUse(tx, idHash))
    throw error
  }
}

/** Throws PageError for a form that does not say which showing it is: none of ours. */
function hashOf({ userId, shownAs, address }: SentForm, { method, path, body }: InProcessCall): string {
  if (shownAs === undefined) throw expired(address)
  const parts = ['form', userId, shownAs, method, path, body ?? null]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

function doneAlready({ address }: SentForm): PageError {
  return new PageError({
    status: 409,
    title: 'This was done already',
    what: 'This form was sent before and is carried out once. Nothing was made, ended or sent a second time.',
    remedy:
      'If an error came the first time, open the page again and see whether it was done. A private key or a link is shown once only: if you did not keep it, make a new one.',
    links: [
      { href: address, text: 'Open the page again' },
      { href: '/portal', text: 'Go to the portal' },
    ],
    reason: 'done_already',
  })
}

function expired(address: string): PageError {
  return new PageError({
    status: 403,
    title: 'This form has expired',
    what: 'It is from an earlier version of this page. Nothing was changed.',
    remedy: 'Open the page again and send it from there.',
    links: [{ href: address, text: 'Open the page again' }],
    reason: 'form_token',
  })
}
