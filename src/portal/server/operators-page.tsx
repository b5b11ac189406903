// /portal/server/operators: who looks after this installation; making somebody an operator, and ending that.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import type { Consequences } from '../../management/stopping/consequence-schemas.js'
import { consequenceLines } from '../../management/stopping/consequence-words.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { sendQuestion } from '../acts/question.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'

const path = '/portal/server/operators'
type Operator = PeopleAnswer<'operators'>['value'][number]

const columns = [
  { text: 'Name' },
  { text: 'E-mail' },
  { text: 'Second factor' },
  { text: 'Signed in last' },
  { text: '' },
] as const
const texts = {
  made: 'They look after the whole installation now.',
  ended: 'They are no operator any more. Their tokens for the server are refused.',
}

interface Refused {
  problem: Problem
  status: number
  email?: string
}

/** Registers it. */
export function registerOperatorsPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-server-operators',
    get: getPage(deps, async (_request, reply, context) => show(reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const [email, userId] = [form.get('email')?.trim(), form.get('operator')]
      try {
        const person = await findPerson(context, { email, userId })
        if (form.get('confirmed') !== 'yes') return await ask(reply, context, person, email !== undefined)
        await context.api('PATCH', `/users/${person.userId}`, { operator: email !== undefined })
        return reply.redirect(doneLink(context, path, email === undefined ? 'ended' : 'made'), 303)
      } catch (error) {
        return show(reply, context, { ...operatorProblem(error), ...(email === undefined ? {} : { email }) })
      }
    }),
  })
}

type Person = Pick<Operator, 'userId' | 'name' | 'email' | 'hasSecondFactor'>

/** By address among the people of this tenant; by id among the operators. Throws ApiError 404. */
async function findPerson(
  context: PortalContext,
  { email, userId }: { email: string | undefined; userId: string | undefined },
): Promise<Person> {
  const { value } =
    email === undefined
      ? await context.api<PeopleAnswer<'operators'>>('GET', '/operators')
      : await context.api<PeopleAnswer<'users'>>('GET', `/users?${new URLSearchParams({ email })}`)
  const found = email === undefined ? value.find((one) => one.userId === userId) : value[0]
  if (found !== undefined) return found
  throw new ApiError(404, 'UserNotFound', 'Nobody in this tenant has this address. Invite them first.', {
    target: 'email',
  })
}

/** Everybody who sees the page may make and end operators; what is refused is about the person. */
function operatorProblem(error: unknown): Pick<Refused, 'problem' | 'status'> {
  const isAboutPerson = error instanceof ApiError && [400, 404, 409].includes(error.status)
  const isShared = error instanceof ApiError && ['SharedAccount', 'RoleRequired'].includes(error.code)
  if (!(error instanceof ApiError) || !(isAboutPerson || isShared)) throw error
  const { target } = error.extras
  const more = isShared ? ' Do it where the server runs: portcullis user make-operator, or drop-operator.' : ''
  return { problem: { message: error.message + more, target }, status: error.status }
}

async function ask(
  reply: FastifyReply,
  context: PortalContext,
  person: Person,
  isMade: boolean,
): Promise<FastifyReply> {
  const { userId, name, email, hasSecondFactor } = person
  const ending = isMade ? [] : consequenceLines(await context.api<Consequences>('GET', `/users/${userId}/consequences`))
  const who = displayName(name === '' ? email : name)
  return sendQuestion(reply, context, {
    activePath: path,
    question: isMade ? `Make ${who} an operator?` : `End that ${who} is an operator?`,
    what: isMade ? (
      <p>
        Operators look after all tenants: they switch them off, replace signing keys, read the audit of the whole
        server, and say who else is an operator. A link for a new password that somebody holds for this account ends
        now.
      </p>
    ) : (
      <p>
        They keep their account and their role in each tenant. What applications hold for them ends, so that no token
        reaches the server any more; they sign in to those again.
      </p>
    ),
    counts: [
      ['E-mail', displayName(email, 254)],
      ['Second factor', hasSecondFactor ? 'yes' : 'none: ask them to set one up first'],
      ...ending,
    ],
    button: isMade ? 'Make an operator' : 'End it',
    hidden: isMade ? { email } : { operator: userId },
    path,
    back: path,
  })
}

async function show(reply: FastifyReply, context: PortalContext, refused?: Refused): Promise<FastifyReply> {
  const { value } = await context.api<PeopleAnswer<'operators'>>('GET', '/operators')
  return sendFramed(reply, context, {
    title: 'Operators',
    activePath: path,
    intro: 'Who looks after this installation and everything in it.',
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={refused?.problem} fields={['email']} />
        <section class="card" aria-label="Operators">
          <Table id="operators" columns={columns} rows={value.map((operator) => rowOf(context, operator, value))} />
          {value.length > 1 ? null : (
            <p class="fine">The last operator cannot be dropped. Make somebody else an operator first.</p>
          )}
        </section>
        <NewOperator context={context} refused={refused} />
      </>
    ),
  })
}

function rowOf(context: PortalContext, operator: Operator, all: readonly Operator[]) {
  const { userId, name, email, state, hasSecondFactor, lastSignInAt } = operator
  const who = displayName(name === '' ? email : name)
  return {
    id: `operator-${userId}`,
    cells: [
      <>
        {who} {userId === context.person.user.userId ? <span class="tag">you</span> : null}
        {state === 'disabled' ? <span class="tag warn">Disabled</span> : null}
      </>,
      displayName(email, 254),
      hasSecondFactor ? 'yes' : <span class="not-granted">none</span>,
      lastSignInAt === null ? 'never' : dateTime(Date.parse(lastSignInAt)),
      all.length === 1 ? '' : <Drop key="drop" context={context} userId={userId} who={who} />,
    ],
  }
}

function Drop({ context, userId, who }: { context: PortalContext; userId: string; who: string }): VNode {
  return (
    <Form
      id={`drop-${userId}`}
      action={context.link(path)}
      token={context.token}
      hidden={{ operator: userId }}
      label={`End that ${who} is an operator`}
    >
      <Button id={`drop-${userId}-button`} kind="plain">
        End
      </Button>
    </Form>
  )
}

function NewOperator({ context, refused }: { context: PortalContext; refused: Refused | undefined }): VNode {
  return (
    <section class="card" aria-labelledby="new-title">
      <h2 id="new-title">Another operator</h2>
      <Form id="make-form" action={context.link(path)} token={context.token}>
        <Field
          id="email"
          label="E-mail address"
          type="email"
          hint={`Of somebody who belongs to ${displayName(context.currentTenant.name)}.`}
          value={refused?.email}
          error={problemAt(refused?.problem, 'email')}
        />
        <Button id="make">Go on</Button>
      </Form>
    </section>
  )
}
