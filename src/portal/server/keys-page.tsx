// The signing keys: which sign, which are published ahead, which are on their way out; a successor for each on demand.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { Answer } from '../../management/schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { Table } from '../table.js'

const path = '/portal/server/keys'
type Keys = Answer<'keys'>['value']

const columns = [{ text: 'Key' }, { text: 'State' }, { text: 'Signs from' }, { text: 'Goes' }]
const purposes = { token: 'tokens', assertion: 'assertions to upstreams' } as const
const states = {
  pending: 'published, not signing yet',
  active: 'signs',
  retiring: 'still verifies',
  removed: 'removed',
} as const
const texts = {
  rotated: 'Successors are published. They sign once everybody has had the time to fetch them.',
  replaced: 'New keys sign from this moment on.',
}

/** Registers it. */
export function registerKeysPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-server-keys',
    get: getPage(deps, async (_request, reply, context) => show(reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const immediately = form.get('when') === 'now'
      try {
        await context.api('POST', '/keys/rotate', { immediately })
      } catch (error) {
        return show(reply, context, formProblem(error))
      }
      return reply.redirect(doneLink(context, path, immediately ? 'replaced' : 'rotated'), 303)
    }),
  })
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  refused?: { problem: Problem; status: number },
): Promise<FastifyReply> {
  const { value } = await context.api<Answer<'keys'>>('GET', '/keys')
  return sendFramed(reply, context, {
    title: 'Signing keys',
    activePath: path,
    intro: 'Keys rotate automatically. Act here only if one may have leaked.',
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={refused?.problem.message} />
        <KeyTable keys={value} />
        <Rotate context={context} />
      </>
    ),
  })
}

function KeyTable({ keys }: { keys: Keys }): VNode {
  const rows = keys.map(({ kid, purpose, alg, state, activatesAt, removesAt }) => ({
    id: `key-${kid}`,
    cells: [
      <>
        <code>{kid}</code>
        <span class="under">
          for {purposes[purpose]}, {alg}
        </span>
      </>,
      <span key="state" class={state === 'active' ? 'tag good' : 'tag'}>
        {states[state]}
      </span>,
      dateTime(Date.parse(activatesAt)),
      removesAt === null ? 'when its successor signs' : dateTime(Date.parse(removesAt)),
    ],
  }))
  return (
    <section class="card" aria-label="Keys">
      <Table id="keys" columns={columns} rows={rows} />
    </section>
  )
}

function Rotate({ context }: { context: PortalContext }): VNode {
  return (
    <section class="card" aria-labelledby="rotate-title">
      <h2 id="rotate-title">Rotate</h2>
      <p>
        Every kind of key gets a successor. In turn, it is published first and signs a day later, so nobody notices. At
        once is for a key that may have leaked: a service that has kept the old set of keys refuses new tokens until
        they fetch it again.
      </p>
      <Form id="rotate-form" action={context.address} token={context.token}>
        <div class="buttons">
          <Button id="rotate" kind="plain" name="when" value="turn">
            In turn
          </Button>
          <Button id="replace" kind="danger" name="when" value="now">
            At once
          </Button>
        </div>
      </Form>
    </section>
  )
}
