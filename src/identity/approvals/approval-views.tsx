// The pages for a call that waits for its person: what it would do, and what became of it. What they look like;
// approval-page.tsx decides.

import type { VNode } from 'preact'
import type { CallText } from '../../approvals/call.js'
import { type Approval, decidedMs } from '../../approvals/decision.js'
import type { User } from '../../users/records.js'
import { useTexts } from '../../web/language/texts.js'
import { Time } from '../../web/language/time.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { Asker } from '../consent/parts.js'
import type { ApprovalQuestion } from './approval-question.js'
import { visibleJson, visibleText } from './visible-json.js'

/** Asks whether this call may be made. */
export function ApprovalView({
  action,
  token,
  user,
  asker,
  server,
  call,
  expiresAt,
}: {
  action: string
  token: string
  user: User
  asker: NonNullable<ApprovalQuestion['asker']>
  /** Its name in the configuration, and the address that people give to agents. */
  server: { name: string; address: string }
  call: CallText
  /** Epoch milliseconds. */
  expiresAt: number
}): VNode {
  const { approval, consent } = useTexts()
  const { registration, home, claim, tenant } = asker
  return (
    <Page title={approval.title} intro={approval.intro} user={user}>
      <div class="card">
        <Asker registration={registration} home={home} claim={claim} />
        <Facts
          id="call"
          rows={[
            [
              approval.tool,
              <code id="tool">
                <bdi>{visibleText(call.tool)}</bdi>
              </code>,
            ],
            [
              approval.server,
              <span id="server">
                {server.name === '' ? null : (
                  <>
                    <bdi>{displayName(server.name)}</bdi>{' '}
                  </>
                )}
                <code>{visibleText(server.address)}</code>
              </span>,
            ],
          ]}
        />
        <h2 id="with">{approval.with}</h2>
        <div class="command" id="arguments" dir="ltr" translate={false}>
          <code>{visibleJson(call.arguments)}</code>
        </div>
        <p class="fine">{approval.hidden}</p>
        <hr />
        <Facts
          id="about"
          rows={[
            [consent.as, <bdi id="as">{displayName(user.email === '' ? user.name : user.email)}</bdi>],
            [consent.in, <bdi id="tenant">{displayName(tenant.name)}</bdi>],
            [approval.decideUntil, <Time at={expiresAt} />],
          ]}
        />
        <p id="limits">{approval.limits(decidedMs / 60_000)}</p>
        <Form id="approval-form" action={action} token={token}>
          <div class="buttons">
            <Button id="refuse" kind="plain" name="decision" value="refuse">
              {approval.refuse}
            </Button>
            <Button id="allow" kind="plain" name="decision" value="allow">
              {approval.allow}
            </Button>
          </div>
        </Form>
      </div>
    </Page>
  )
}

/** Says what became of it. */
export function DecidedView({ approval: { state, expiresAt }, user }: { approval: Approval; user: User }): VNode {
  const { approval, consent, device } = useTexts()
  const known = state === 'pending' ? 'over' : state
  const texts = {
    allowed: approval.allowedText(<Time at={expiresAt} />),
    refused: approval.refusedText,
    used: approval.usedText,
    over: approval.overText,
  }
  return (
    <Page title={approval[known]} user={user}>
      <div class="card" id="decided">
        <p>{texts[known]}</p>
        <p>{device.close}</p>
      </div>
      <p class="fine" id="apps">
        <a href="/account/apps">{consent.apps.title}</a>
      </p>
    </Page>
  )
}
