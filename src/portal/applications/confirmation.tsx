// A page that asks once more before something is taken away, and says what that means.

import type { FastifyReply } from 'fastify'
import type { ComponentChildren } from 'preact'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { answered, ConsequenceFacts, readConsequences } from '../acts/consequences.js'
import { type Application, type ApplicationTab, applicationPath, sendApplicationPage } from '../application-page.js'
import { CancelLink } from '../cancel-link.js'
import type { PortalContext } from '../context.js'

interface Question {
  at: ApplicationTab
  /** Its own path: the form posts to it. */
  path: string
  /** Such as `Delete this application?`. */
  question: string
  /** What happens, in sentences. */
  what: ComponentChildren
  /** What the button says. */
  button: string
  /** Has to be typed, for what cannot be undone. */
  typed?: { label: string; error?: string | undefined }
  status?: number
}

/** Sends it. The form has the button `confirm` and, where it is required, the field `typed`. */
export async function sendConfirmation(
  reply: FastifyReply,
  context: PortalContext,
  application: Application,
  { at, path, question, what, button, typed, status = 200 }: Question,
): Promise<FastifyReply> {
  const counts = await readConsequences(context, `/applications/${application.applicationId}/consequences`)
  return sendApplicationPage(reply, context, {
    application,
    at,
    status,
    children: (
      <section class="card" aria-labelledby="question">
        <h2 id="question">{question}</h2>
        {what}
        <ConsequenceFacts counts={counts} />
        <Form id="confirm-form" action={context.link(path)} token={context.token} hidden={answered}>
          {typed === undefined ? null : <Field id="typed" label={typed.label} error={typed.error} maxLength={512} />}
          <div class="buttons">
            <Button id="confirm" kind="danger">
              {button}
            </Button>
            <CancelLink context={context} to={applicationPath(application.applicationId, at)} />
          </div>
        </Form>
      </section>
    ),
  })
}
