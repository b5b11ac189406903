// Asks once more before something ends: what happens then, with numbers where there are some, and for what cannot be
// undone a name that has to be typed.

import type { FastifyReply } from 'fastify'
import type { ComponentChildren } from 'preact'
import { Button, Facts, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { CancelLink } from '../cancel-link.js'
import type { PortalContext } from '../context.js'
import { sendFramed } from '../frame.js'

export interface Question {
  /** The entry of the navigation. */
  activePath: string
  /** Such as `Delete this webhook?`. */
  question: string
  eyebrow?: ComponentChildren
  /** What happens, and whether it comes back: sentences in paragraphs. */
  what: ComponentChildren
  /** What hangs on it. */
  counts?: readonly (readonly [label: string, value: string])[]
  button: string
  /** Has to be typed. */
  typed?: { label: string; text: string }
  /** Further fields that the form hands back. */
  hidden?: Readonly<Record<string, string>>
  /** Where the form posts to, and where one goes who leaves it as it is: paths without the tenant. */
  path: string
  back: string
  refused?: { problem: Problem; status: number } | undefined
}

/** Sends the page. Its form has the button `confirm` and, where something has to be typed, the field `typed`. */
export function sendQuestion(
  reply: FastifyReply,
  context: PortalContext,
  { activePath, question, eyebrow, what, counts, button, typed, hidden, path, back, refused }: Question,
): FastifyReply {
  const { problem, status } = refused ?? {}
  return sendFramed(reply, context, {
    title: question,
    ...(eyebrow === undefined ? {} : { eyebrow }),
    activePath,
    status,
    children: (
      <section class="card" aria-label={question}>
        <ProblemNotice problem={problem} fields={['typed']} />
        {what}
        {counts === undefined ? null : <Facts id="consequences" rows={counts} />}
        {typed === undefined ? null : (
          <p>
            To go on, type <strong>{typed.text}</strong>
          </p>
        )}
        <Form
          id="confirm-form"
          action={context.link(path)}
          token={context.token}
          hidden={{ confirmed: 'yes', ...hidden }}
        >
          {typed === undefined ? null : (
            <Field id="typed" label={typed.label} error={problemAt(problem, 'typed')} maxLength={512} />
          )}
          <div class="buttons">
            <Button id="confirm" kind="danger">
              {button}
            </Button>
            <CancelLink context={context} to={back} />
          </div>
        </Form>
      </section>
    ),
  })
}

/** What is wrong when something else was typed than `text`; undefined when it is right. */
export function typedWrong(typed: string | undefined, text: string): { problem: Problem; status: number } | undefined {
  if (typed?.normalize('NFC').trim() === text) return undefined
  return { problem: { message: 'This is not what stands above.', target: 'typed' }, status: 400 }
}
