// The page that asks for the second factor: a code of the app, or one of the recovery codes when it is not at hand.

import type { VNode } from 'preact'
import type { Said } from '../../languages/texts.js'
import { useTexts } from '../../web/language/texts.js'
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
  problem?: Said | undefined
}

/** The page. */
export function SecondFactorPage({ purpose, path, token, problem }: SecondFactorView): VNode {
  const { signIn } = useTexts()
  const { secondStep } = signIn
  return (
    <Page title={secondStep.title} eyebrow={forApplication(purpose)} intro={secondStep.intro}>
      <div class="card">
        <ProblemNotice problem={problem} />
        <Form id="code-form" action={path} token={token}>
          <CodeField autofocus />
          <Button id="confirm-code">{secondStep.confirm}</Button>
        </Form>
        <hr />
        <details>
          <summary id="use-recovery-code">{secondStep.useRecovery}</summary>
          <Form id="recovery-form" action={path} token={token}>
            <Field id="recovery_code" label={secondStep.recovery} hint={secondStep.recoveryHint} maxLength={64} />
            <Button id="confirm-recovery-code" kind="plain">
              {secondStep.confirm}
            </Button>
          </Form>
        </details>
      </div>
      <p class="fine center">
        <a id="start-again" href={purpose.path}>
          {signIn.asSomebodyElse}
        </a>
      </p>
    </Page>
  )
}
