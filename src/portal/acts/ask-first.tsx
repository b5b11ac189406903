// Asks once more before a form stops others, with what hangs on it in numbers (decision 120). Whatever page sends such a
// change, it is found by the table of acts when it is about to be sent; the form then comes again with the same fields
// and an answer, so a page needs no address of its own for the question.

import type { FastifyReply } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { type Change, findStop, type Stop } from '../../management/stopping/find-stop.js'
import type { FormFields } from '../../web/form-token.js'
import { multipartBoundary } from '../../web/multipart-form.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form, formTokenField } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import { sendFramed } from '../frame.js'
import { answered, ConsequenceFacts, readConsequences } from './consequences.js'

/** A form that stops others was sent without an answer to the question. */
class Unanswered extends Error {
  readonly stop: Stop
  constructor(stop: Stop) {
    super('a form that stops others comes without an answer')
    this.stop = stop
  }
}

/** Throws Unanswered for a change that stops others, unless the form says that it was confirmed. */
export async function checkAnswered(form: FormFields, change: Change, api: PortalContext['api']): Promise<void> {
  if (form.get('confirmed') === answered.confirmed) return
  const stop = await findStop(change, (path) =>
    api<Record<string, unknown>>('GET', path).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return undefined
    }),
  )
  if (stop !== undefined) throw new Unanswered(stop)
}

/** Sends the page with the question; rethrows any other error. */
export async function askFirst(
  reply: FastifyReply,
  context: PortalContext,
  form: FormFields,
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof Unanswered)) throw error
  const { question, what, undo, button, consequences } = error.stop
  const fields = form.entries().filter(([name]) => name !== formTokenField && name !== 'confirmed')
  const path = context.address.split(/[?]/)[0] ?? ''
  const files = multipartBoundary(reply.request.headers['content-type']) !== undefined
  return sendFramed(reply, context, {
    title: displayName(question, 200),
    activePath: path
      .split('/')
      .slice(0, path.startsWith('/portal/server/') ? 4 : 3)
      .join('/'),
    children: (
      <section class="card" aria-label="What happens">
        <p>{what}</p>
        {consequences === undefined ? null : (
          <ConsequenceFacts counts={await readConsequences(context, consequences)} />
        )}
        <p id="undo">{undo}</p>
        <Form id="confirm-form" action={context.address} token={context.token} hidden={answered} files={files}>
          {fields.map(([name, value], at) => (
            <input key={String(at)} type="hidden" name={name} value={value} />
          ))}
          <div class="buttons">
            <Button id="confirm" kind="danger">
              {button}
            </Button>
            <a class="button plain" id="cancel" href={context.address}>
              Cancel
            </a>
          </div>
        </Form>
      </section>
    ),
  })
}
