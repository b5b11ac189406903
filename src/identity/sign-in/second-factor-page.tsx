// The page that asks for the second factor: a code of the app, or one of the recovery codes when it is not at hand.

import type { VNode } from 'preact'
import { CodeField } from '../../web/pages/code-field.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import type { Purpose } from './purpose.js'
import { forApplication } from './sign-in-page.js'

export interface SecondFactorView {
  purpose: Purpose
  /** This page's address. */
  path: string
  token: string
  problem?: string | undefined
}

/** The page. */
export function SecondFactorPage({ purpose, path, token, problem }: SecondFactorView): VNode {
  return (
    <Page
      title="Second step"
      eyebrow={forApplication(purpose)}
      intro="Enter the code that your authenticator app shows for Portcullis."
    >
      <div class="card">
        <ProblemNotice problem={problem} />
        <Form id="code-form" action={path} token={token}>
          <CodeField autofocus />
          <Button id="confirm-code">Confirm</Button>
        </Form>
        <hr />
        <details>
          <summary id="use-recovery-code">Use a recovery code instead</summary>
          <Form id="recovery-form" action={path} token={token}>
            <Field
              id="recovery_code"
              label="Recovery code"
              hint="One of those that you kept when you set up the second step. Each works once."
              maxLength={64}
            />
            <Button id="confirm-recovery-code" kind="plain">
              Confirm
            </Button>
          </Form>
        </details>
      </div>
      <p class="fine center">
        <a id="start-again" href={purpose.path}>
          Sign in as somebody else
        </a>
      </p>
    </Page>
  )
}
