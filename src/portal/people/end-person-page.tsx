// Asks once more before somebody is removed from the tenant, or their account is deleted, and says what that means.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { answered, ConsequenceFacts, readConsequences } from '../acts/consequences.js'
import { CancelLink } from '../cancel-link.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { sendFramed } from '../frame.js'
import { nameOf, type Person, readPerson } from './read-person.js'

const list = '/portal/people'

interface Ending {
  word: 'remove' | 'delete'
  done: 'removed' | 'deleted'
  question: (name: string) => string
  what: ComponentChildren
  button: string
  /** Whether the name has to be typed: for what cannot be undone. */
  typed: boolean
  /** What the management API has to delete. */
  path: (context: PortalContext, person: Person) => string
}

const endings: readonly Ending[] = [
  {
    word: 'remove',
    done: 'removed',
    typed: false,
    button: 'Remove',
    question: (name) => `Remove ${name} from the tenant?`,
    what: (
      <p>
        Their role, what they entered about themselves for this tenant, and what they allowed applications here end at
        once. The account stays; they can be invited again.
      </p>
    ),
    path: (context, { userId }) => `/tenants/${context.currentTenant.tenantId}/memberships/${userId}`,
  },
  {
    word: 'delete',
    done: 'deleted',
    typed: true,
    button: 'Delete for good',
    question: (name) => `Delete the account of ${name}?`,
    what: (
      <p>
        Every session and everything that applications hold for this person end at once. The account and all that
        belongs to it are gone for good; what was done with it stays in the audit, under its identifier.
      </p>
    ),
    path: (_context, { userId }) => `/users/${userId}`,
  },
]

/** Registers both. */
export function registerEndPersonPages(scope: FastifyInstance, deps: PortalDependencies): void {
  for (const ending of endings) {
    registerPage(scope, deps, {
      path: `${list}/:userId/${ending.word}`,
      routeId: `portal-person-${ending.word}`,
      get: getPage(deps, async (request, reply, context) => ask(request, reply, context, ending)),
      post: postForm(deps, async (request, reply, context, form) => {
        const person = await readPerson(request, context)
        const typed = form.get('typed')?.normalize('NFC').trim()
        if (ending.typed && typed !== nameOf(person)) {
          const problem = { message: 'This is not what stands above.', target: 'typed' }
          return ask(request, reply, context, ending, { problem, status: 400 })
        }
        try {
          await context.api('DELETE', ending.path(context, person))
        } catch (error) {
          if (!(error instanceof ApiError) || error.status === 404 || error.status >= 500) throw error
          const problem = { message: error.message, target: undefined }
          return ask(request, reply, context, ending, { problem, status: error.status })
        }
        return reply.redirect(doneLink(context, list, ending.done), 303)
      }),
    })
  }
}

async function ask(
  request: FastifyRequest,
  reply: FastifyReply,
  context: PortalContext,
  { word, question, what, button, typed }: Ending,
  refused?: { problem: Problem; status: number },
): Promise<FastifyReply> {
  const person = await readPerson(request, context)
  const [name, page] = [nameOf(person), `${list}/${person.userId}`]
  const counts = await readConsequences(context, `/users/${person.userId}/consequences`)
  return sendFramed(reply, context, {
    title: question(name),
    eyebrow: <a href={context.link(page)}>{name}</a>,
    activePath: list,
    status: refused?.status,
    children: (
      <section class="card" aria-label={question(name)}>
        <ProblemNotice problem={refused?.problem} fields={['typed']} />
        {what}
        <ConsequenceFacts counts={counts} />
        {typed ? (
          <p>
            To go on, type the name: <strong>{name}</strong>
          </p>
        ) : null}
        <Form id="confirm-form" action={context.link(`${page}/${word}`)} token={context.token} hidden={answered}>
          {typed ? (
            <Field id="typed" label="Name of the person" error={problemAt(refused?.problem, 'typed')} maxLength={512} />
          ) : null}
          <div class="buttons">
            <Button id="confirm" kind="danger">
              {button}
            </Button>
            <CancelLink context={context} to={page} />
          </div>
        </Form>
      </section>
    ),
  })
}
