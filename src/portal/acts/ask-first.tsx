// Asks once more before a form stops others, with what hangs on it in numbers (decision 120). The form comes again with
// the same fields and an answer, so a page needs no address of its own for the question.

import type { FastifyReply } from 'fastify'
import type { Consequences } from '../../management/stopping/consequence-schemas.js'
import { consequenceLines } from '../../management/stopping/consequence-words.js'
import type { FormFields } from '../../web/form-token.js'
import { Button, Facts } from '../../web/pages/elements.js'
import { Form, formTokenField } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import { sendFramed } from '../frame.js'

interface Stop {
  /** The entry of the navigation. */
  activePath: string
  /** Below /api/v2: its consequences are counted. */
  subject: string
  question: string
  /** What stops, and whether it comes back. */
  what: string
  button: string
}

/** The page with the question; undefined when it was answered. Throws ApiError. */
export async function askFirst(
  reply: FastifyReply,
  context: PortalContext,
  form: FormFields,
  { activePath, subject, question, what, button }: Stop,
): Promise<FastifyReply | undefined> {
  if (form.get('confirmed') === 'yes') return undefined
  const counts = await context.api<Consequences>('GET', `${subject}/consequences`)
  const fields = form.entries().filter(([name]) => name !== formTokenField && name !== 'confirmed')
  return sendFramed(reply, context, {
    title: question,
    activePath,
    children: (
      <section class="card" aria-label={question}>
        <p>{what}</p>
        <Facts id="consequences" rows={consequenceLines(counts)} />
        <Form id="confirm-form" action={context.address} token={context.token} hidden={{ confirmed: 'yes' }}>
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
