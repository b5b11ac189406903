// What an invitation looks like: who invites, as what, and the one thing to do.

import type { VNode } from 'preact'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { NewPasswordField } from '../../web/pages/new-password-field.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { passwordScript } from '../../web/pages/scripts.js'

export interface InvitationView {
  secret: string
  token: string
  email: string
  tenant: string
  role: string
  who: 'new' | 'has-account' | 'signed-in'
  name: string
  passwordLength: number
  problem?: Problem
}

/** The page. */
export function InvitationPage(view: InvitationView): VNode {
  const { secret, token, email, tenant, role, who, problem } = view
  const rows = [
    ['Organisation', displayName(tenant)],
    ['E-mail address', email],
    ['Role', role],
  ] as const
  return (
    <Page title={`Join ${displayName(tenant, 60)}`} intro="You have been invited." scripts={[passwordScript.path]}>
      <div class="card">
        <ProblemNotice problem={problem} fields={['name', 'password']} />
        <Facts id="invitation" rows={rows} />
        {who === 'has-account' ? (
          <HasAccount />
        ) : (
          <Form id="invitation-form" action={`/invitation/${secret}`} token={token}>
            {who === 'new' ? <NewPerson {...view} /> : null}
            <Button id="accept">Join</Button>
          </Form>
        )}
      </div>
    </Page>
  )
}

function HasAccount(): VNode {
  return (
    <>
      <p>
        There is an account with this address already. Sign in with it, then open the link of the invitation once more.
      </p>
      <a class="button" id="sign-in-first" href="/sign-in">
        Sign in
      </a>
    </>
  )
}

function NewPerson({ email, name, passwordLength, problem }: InvitationView): VNode {
  const wrong = (id: string) => problemAt(problem, id)
  return (
    <>
      <Field id="name" label="Your name" value={name} error={wrong('name')} autocomplete="name" />
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <NewPasswordField label="Choose a password" length={passwordLength} error={wrong('password')} />
    </>
  )
}
