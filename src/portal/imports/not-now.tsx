// An import that could not begin, because another is under way or too many were: nothing was done, what was looked at is
// still there, and the same button sends it again.

import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { FormFields } from '../../web/form-token.js'
import { Button, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { CancelLink } from '../cancel-link.js'
import type { PortalContext } from '../context.js'
import { importPath } from './entered.js'

/** Whether it is a refusal of this moment, which says nothing about what was sent. */
export function isOfThisMoment(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 'ImportUnderWay' || error.status === 429 || error.status === 503)
}

/** What a page of an import keeps from one showing to the next. */
const kept = ['step', 'prepared', 'map', 'update']

/** The page's content. A new showing of the form, because the one before may count as sent. */
export function NotNow({ context, form, error }: { context: PortalContext; form: FormFields; error: ApiError }): VNode {
  const hidden = Object.fromEntries(
    kept.flatMap((name) => {
      const value = form.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return (
    <section class="card" aria-labelledby="not-now-title">
      <h2 id="not-now-title">Not now</h2>
      <Notice id="not-now" kind="error" title={error.message}>
        <p>Nothing was done by this. What you looked at is kept on this page.</p>
      </Notice>
      <Form id="send-again" action={context.link(importPath)} token={context.token} hidden={hidden} files={true}>
        <div class="buttons">
          <Button id="try-again">Try again</Button>
          <CancelLink context={context} to={importPath} />
        </div>
      </Form>
    </section>
  )
}
