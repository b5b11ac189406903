// The pages for a device's request: type its code, choose a tenant, decide, done. What they look like; device-page.tsx
// decides.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { PermissionRef } from '../../directory/records.js'
import type { Said } from '../../languages/texts.js'
import type { Membership, User } from '../../users/records.js'
import { useReading, useTexts } from '../../web/language/texts.js'
import { ApplicationName, type ShownApplication } from '../../web/pages/application-name.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Field, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { requestedPermissions } from '../consent/consent-step.js'
import { Asker, Permissions } from '../consent/parts.js'
import { sentenceOf } from '../consent/sentences.js'
import type { DeviceQuestion } from './device-status.js'

/** Asks for the code. `code` came in the address and is only filled in: the person compares it with the device. */
export function CodePage({
  action,
  token,
  code,
  problem,
  user,
}: {
  action: string
  token: string
  code: string
  problem?: Said | undefined
  user: User | undefined
}): VNode {
  const { frame, device } = useTexts()
  return (
    <Page title={device.title} intro={code === '' ? device.type : device.isThis} user={user}>
      <div class="card">
        <Form id="code-form" action={action} token={token}>
          <Field
            id="user_code"
            label={device.code}
            hint={device.codeHint}
            value={code}
            error={problem}
            maxLength={64}
            autofocus
          />
          <Button id="go-on">{frame.goOn}</Button>
        </Form>
      </div>
      <p class="fine">{device.onlyYours}</p>
    </Page>
  )
}

/** Asks in which tenant. */
export function TenantPage({
  action,
  token,
  user,
  application,
  tenants,
}: {
  action: string
  token: string
  user: User
  application: ShownApplication
  tenants: readonly { membership: Membership; name: string }[]
}): VNode {
  const { frame, consent, device } = useTexts()
  return (
    <Page
      title={consent.tenant.title}
      eyebrow={<ApplicationName application={application} />}
      intro={device.whose}
      user={user}
    >
      <div class="card">
        <Form id="tenant-form" action={action} token={token}>
          <div class="stack">
            {tenants.map(({ membership: { tenantId, role }, name }) => (
              <Button key={tenantId} id={`tenant-${tenantId}`} kind="plain" name="tenant" value={tenantId}>
                {displayName(name)} ({frame.roles[role]})
              </Button>
            ))}
          </div>
        </Form>
      </div>
    </Page>
  )
}

/** Asks whether the device may. */
export function DecisionPage({
  action,
  token,
  question,
  tenantName,
  catalogue,
  minutesAgo,
  consentUri,
}: {
  action: string
  token: string
  question: DeviceQuestion
  tenantName: string
  catalogue: Catalogue
  minutesAgo: number
  /** Where an administrator consents, when one is needed. */
  consentUri: string | undefined
}): VNode {
  const { registration, request, user, permissions } = question
  const { consent, device } = useTexts()
  const { language } = useReading()
  const line = (ref: PermissionRef) => sentenceOf(catalogue, ref, 'own', language)
  return (
    <Page title={device.allowTitle} user={user}>
      <Notice id="warning" kind="info" title={device.warningTitle}>
        <p>{device.warning}</p>
      </Notice>
      <div class="card">
        <Asker registration={registration} home={question.home} claim={question.claim} />
        <h2 id="what-for">{consent.able}</h2>
        <Permissions id="permissions" lines={requestedPermissions({ ...request, permissions }).map(line)} />
        <hr />
        <Facts
          id="request"
          rows={[
            [device.requested, <span id="requested-from">{device.requestedFrom(minutesAgo, request.address)}</span>],
            [consent.as, <bdi id="as">{displayName(user.email === '' ? user.name : user.email)}</bdi>],
            [consent.in, <bdi id="tenant">{displayName(tenantName)}</bdi>],
          ]}
        />
        <Form id="decision-form" action={action} token={token}>
          {consentUri === undefined ? null : (
            <p id="administrator-needed">
              {device.administrator((text) => (
                <a href={consentUri}>{text}</a>
              ))}
            </p>
          )}
          <div class="buttons">
            <Button id="deny" kind="plain" name="decision" value="deny">
              {device.deny}
            </Button>
            {consentUri === undefined ? (
              <Button id="allow" kind="plain" name="decision" value="allow">
                {device.allow}
              </Button>
            ) : null}
          </div>
        </Form>
      </div>
    </Page>
  )
}

/** Says that it is decided. */
export function DecidedPage({ allowed, user }: { allowed: boolean; user: User }): VNode {
  const { device } = useTexts()
  return (
    <Page title={allowed ? device.connected : device.denied} user={user}>
      <div class="card" id="decided">
        <p>{allowed ? device.connectedText : device.deniedText}</p>
        <p>{device.close}</p>
      </div>
    </Page>
  )
}
