// Asks once more before somebody is removed from the tenant, or their account is deleted, and says what that means.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import { registerPage } from '../../web/page-routes.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done.js'
import { sendFramed } from '../frame.js'
import { acted, type Visit, visited } from '../visit.js'
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
  /** What the management API is asked to delete. */
  path: (visit: Visit, person: Person) => string
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
    path: (visit, { userId }) => `/tenants/${visit.place.tenantId}/memberships/${userId}`,
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
    path: (_visit, { userId }) => `/users/${userId}`,
  },
]

/** Registers both. */
export function registerEndPersonPages(scope: FastifyInstance, deps: PortalDependencies): void {
  for (const ending of endings) {
    registerPage(scope, deps, {
      path: `${list}/:userId/${ending.word}`,
      routeId: `portal-person-${ending.word}`,
      get: visited(deps, async (request, reply, visit) => ask(request, reply, visit, ending)),
      post: acted(deps, async (request, reply, visit, form) => {
        const person = await readPerson(request, visit)
        const typed = form.get('typed')?.normalize('NFC').trim()
        if (ending.typed && typed !== nameOf(person)) {
          const problem = { message: 'This is not what stands above.', target: 'typed' }
          return ask(request, reply, visit, ending, { problem, status: 400 })
        }
        try {
          await visit.api('DELETE', ending.path(visit, person))
        } catch (error) {
          if (!(error instanceof ApiError) || error.status === 404 || error.status >= 500) throw error
          const problem = { message: error.message, target: undefined }
          return ask(request, reply, visit, ending, { problem, status: error.status })
        }
        return reply.redirect(doneLink(visit, list, ending.done), 303)
      }),
    })
  }
}

async function ask(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  { word, question, what, button, typed }: Ending,
  refused?: { problem: Problem; status: number },
): Promise<FastifyReply> {
  const person = await readPerson(request, visit)
  const [name, page] = [nameOf(person), `${list}/${person.userId}`]
  return sendFramed(reply, visit, {
    title: question(name),
    over: <a href={visit.link(page)}>{name}</a>,
    at: list,
    ...(refused === undefined ? {} : { status: refused.status }),
    children: (
      <section class="card" aria-label={question(name)}>
        <ProblemNotice problem={refused?.problem} fields={['typed']} />
        {what}
        {typed ? (
          <p>
            To go on, type the name: <strong>{name}</strong>
          </p>
        ) : null}
        <Form id="confirm-form" action={visit.link(`${page}/${word}`)} token={visit.token}>
          {typed ? (
            <Field id="typed" label="Name of the person" error={problemAt(refused?.problem, 'typed')} maxLength={512} />
          ) : null}
          <div class="buttons">
            <Button id="confirm" kind="danger">
              {button}
            </Button>
            <a class="button plain" id="cancel" href={visit.link(page)}>
              Leave it as it is
            </a>
          </div>
        </Form>
      </section>
    ),
  })
}
