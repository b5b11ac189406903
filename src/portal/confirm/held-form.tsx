// A form that has to wait for a better sign-in and is too long to be sealed into an address: the page that answers has it
// in itself. They sign in beside it, come back to it and send it. The server keeps nothing, and no script is needed.

import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { heldFormToken } from '../../web/form-token.js'
import { multipartBoundary } from '../../web/multipart-form.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import type { PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import type { HeldForm } from './pending-form.js'

/** Answers 403 with it. `scope`: what its token is for. */
export function sendHeldForm(
  deps: PortalDependencies,
  reply: FastifyReply,
  { context, scope }: { context: PortalContext; scope: string },
  { path, fields, signIn }: HeldForm,
): FastifyReply {
  const { browser, user } = context.person
  const token = heldFormToken(deps, { browser, userId: user.userId }, scope)
  const files = multipartBoundary(reply.request.headers['content-type']) !== undefined
  return sendFramed(reply, context, {
    title: 'Sign in again first',
    intro: 'Nothing has changed yet, and nothing that you entered is lost: this page has it.',
    activePath: `/portal/${path.split(/[/?]/)[2] ?? ''}`,
    status: 403,
    children: (
      <section class="card" aria-labelledby="held-title">
        <h2 id="held-title">This change needs a new sign-in</h2>
        <ol id="what" class="steps">
          <li>Sign in once more as {displayName(user.email)}. That opens beside this page: leave this one as it is.</li>
          <li>Come back here and send what you entered, within an hour.</li>
        </ol>
        <Resent path={path} token={token} files={files} fields={fields}>
          <div class="buttons">
            <a class="button" id="go-on" href={signIn} target="_blank" rel="noopener">
              Sign in once more
            </a>
            <Button id="send" kind="plain">
              Send what I entered
            </Button>
            <a class="button plain" id="cancel" href={path}>
              Go back without changing anything
            </a>
          </div>
        </Resent>
      </section>
    ),
  })
}

function Resent({
  path,
  token,
  files,
  fields,
  children,
}: Omit<HeldForm, 'signIn'> & { token: string; files: boolean; children: VNode }): VNode {
  return (
    <Form id="held-form" action={path} token={token} files={files}>
      {fields.map(([name, value], at) => (
        <input key={String(at)} type="hidden" name={name} value={value} />
      ))}
      {children}
    </Form>
  )
}
