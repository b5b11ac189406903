// The pages for a device's request: type its code, choose a tenant, decide, done. What they look like; device-page.tsx
// decides.

import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import type { PermissionRef } from '../../directory/records.js'
import type { Membership, User } from '../../users/records.js'
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
  token,
  code,
  problem,
  user,
}: {
  token: string
  code: string
  problem?: string | undefined
  user: User | undefined
}): VNode {
  return (
    <Page
      title="Connect a device"
      intro={code === '' ? 'Type the code that your device shows.' : 'Is this the code that your device shows?'}
      user={user}
    >
      <div class="card">
        <Form id="code-form" action={code === '' ? '/device' : '/device?filled=yes'} token={token}>
          <Field
            id="user_code"
            label="Code"
            hint="Eight letters. Spaces, hyphens and small letters do not matter."
            value={code}
            error={problem}
            maxLength={64}
            autofocus
          />
          <Button id="go-on">Continue</Button>
        </Form>
      </div>
      <p class="fine">
        Type only a code that a device or program in front of you shows. Nobody else needs one from you.
      </p>
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
  return (
    <Page
      title="Choose an organisation"
      eyebrow={<ApplicationName application={application} />}
      intro="Whose data may the device use?"
      user={user}
    >
      <div class="card">
        <Form id="tenant-form" action={action} token={token}>
          <div class="stack">
            {tenants.map(({ membership: { tenantId, role }, name }) => (
              <Button key={tenantId} id={`tenant-${tenantId}`} kind="plain" name="tenant" value={tenantId}>
                {displayName(name)} ({role})
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
  const line = (ref: PermissionRef) => sentenceOf(catalogue, ref)
  const when = minutesAgo === 0 ? 'just now' : `${minutesAgo} ${minutesAgo === 1 ? 'minute' : 'minutes'} ago`
  return (
    <Page title="Allow this device?" user={user}>
      <Notice id="warning" kind="info" title="Only if you started this yourself">
        <p>
          Go on only if you began this just now, on a device in front of you. If somebody sent you the code or the link,
          stop here: they would get what you allow.
        </p>
      </Notice>
      <div class="card">
        <Asker registration={registration} home={question.home} />
        <h2 id="what-for">It will be able to</h2>
        <Permissions id="permissions" lines={requestedPermissions({ ...request, permissions }).map(line)} />
        <hr />
        <Facts
          id="request"
          rows={[
            ['Requested', <span id="requested-from">{`${when}, from ${request.address}`}</span>],
            ['As', <bdi id="as">{displayName(user.email === '' ? user.name : user.email)}</bdi>],
            ['In', <bdi id="tenant">{displayName(tenantName)}</bdi>],
          ]}
        />
        <Form id="decision-form" action={action} token={token}>
          {consentUri === undefined ? null : (
            <p id="administrator-needed">
              Some of this needs an administrator of your organisation. <a href={consentUri}>Ask for their consent</a>,
              then type the code again.
            </p>
          )}
          <div class="buttons">
            <Button id="deny" kind="plain" name="decision" value="deny">
              Deny
            </Button>
            {consentUri === undefined ? (
              <Button id="allow" kind="plain" name="decision" value="allow">
                Allow
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
  return (
    <Page title={allowed ? 'Device connected' : 'Device denied'} user={user}>
      <div class="card" id="decided">
        <p>
          {allowed
            ? 'Go back to your device: it goes on by itself in a few seconds.'
            : 'Nothing was allowed. If you did not start this, somebody else may have: do not type codes that others send you.'}
        </p>
        <p>You can close this page.</p>
      </div>
    </Page>
  )
}
