// What the API refused of a form, for the page that shows it again: at the field that it is about, else above the form.

import { ApiError } from '../http/answers/api-error.js'
import type { Problem } from '../web/pages/problem.js'

/** Refusals that say something about who asks or what is granted, and still belong to the form. */
const aboutTheForm: ReadonlySet<string> = new Set(['HoldsMore', 'ConsentNotAllowed', 'MailLimitReached'])

/**
 * The problem of a form, and the status of the page that says it. `fields` maps the API's names to the ids of fields
 * where they differ: `{ secretLabel: 'label' }`. Throws what is no refusal of the form's contents: that becomes a page
 * of its own.
 */
export function formProblem(
  error: unknown,
  fields: Readonly<Record<string, string>> = {},
): { problem: Problem; status: number } {
  if (!(error instanceof ApiError)) throw error
  if (![400, 409, 412].includes(error.status) && !aboutTheForm.has(error.code)) throw error
  const [detail] = error.extras.details ?? []
  const named = (error.extras.target ?? detail?.target)?.split('.')[0]
  const target = named === undefined ? undefined : (fields[named] ?? named)
  const message = error.extras.target === undefined && detail !== undefined ? said(detail.message) : error.message
  return { problem: { message, target }, status: error.status }
}

/** What the schema says of a value is half a sentence. */
function said(text: string): string {
  return /^[A-Z]/.test(text) ? text : `This ${text}.`
}
