// What an invitation looks like: who invites, as what, and the one thing to do.

import type { VNode } from 'preact'
import type { Role } from '../../config/settings/settings.js'
import { useTexts } from '../../web/language/texts.js'
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
  role: Role
  who: 'new' | 'has-account' | 'signed-in'
  name: string
  passwordLength: number
  problem?: Problem
}

/** The page. */
export function InvitationPage(view: InvitationView): VNode {
  const { secret, token, email, tenant, role, who, problem } = view
  const { frame, signIn } = useTexts()
  const { invitation } = signIn
  const rows = [
    [frame.organisation, displayName(tenant)],
    [frame.email, email],
    [invitation.role, frame.roles[role]],
  ] as const
  return (
    <Page title={invitation.title(displayName(tenant, 60))} intro={invitation.intro} scripts={[passwordScript.path]}>
      <div class="card">
        <ProblemNotice problem={problem} fields={['name', 'password']} />
        <Facts id="invitation" rows={rows} />
        {who === 'has-account' ? (
          <HasAccount />
        ) : (
          <Form id="invitation-form" action={`/invitation/${secret}`} token={token}>
            {who === 'new' ? <NewPerson {...view} /> : null}
            <Button id="accept">{invitation.join}</Button>
          </Form>
        )}
      </div>
    </Page>
  )
}

function HasAccount(): VNode {
  const { signIn } = useTexts()
  return (
    <>
      <p>{signIn.invitation.hasAccount}</p>
      <a class="button" id="sign-in-first" href="/sign-in">
        {signIn.title}
      </a>
    </>
  )
}

function NewPerson({ email, name, passwordLength, problem }: InvitationView): VNode {
  const { invitation } = useTexts().signIn
  const wrong = (id: string) => problemAt(problem, id)
  return (
    <>
      <Field id="name" label={invitation.name} value={name} error={wrong('name')} autocomplete="name" />
      <input type="hidden" name="email" value={email} autocomplete="username" />
      <NewPasswordField label={invitation.choosePassword} length={passwordLength} error={wrong('password')} />
    </>
  )
}
