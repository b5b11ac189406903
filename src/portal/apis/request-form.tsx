// The two parts of the page on which access is requested: for which application, and which permissions.

import type { VNode } from 'preact'
import type { CatalogueApi } from '../../management/api-catalogue/catalogue-schemas.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Application, applicationPath } from '../application-page.js'
import { Select, TextArea } from '../choice-fields.js'
import type { PortalContext } from '../context.js'
import { keyOf } from '../permissions/permission-status.js'
import { apiPath } from './paths.js'

/** A form of GET: its answer is this page again, for the application. */
export function ChooseApplication({
  context,
  apiId,
  applications,
  chosen,
}: {
  context: PortalContext
  apiId: string
  applications: readonly { applicationId: string; name: string }[]
  chosen: Application | undefined
}): VNode {
  if (applications.length === 0) {
    return (
      <Notice id="no-applications">
        <p>
          Access is given to applications. <a href={context.link('/portal/applications/new')}>Register one</a> first.
        </p>
      </Notice>
    )
  }
  const listed = applications.some(({ applicationId }) => applicationId === chosen?.applicationId)
  const all = chosen === undefined || listed ? applications : [chosen, ...applications]
  return (
    <section class="card" aria-labelledby="application-title">
      <h2 id="application-title">For which application</h2>
      <form class="inline" method="get" action={apiPath(apiId, '/request')} id="application-form">
        {context.tenants.length > 1 ? (
          <input type="hidden" name="tenant" value={context.currentTenant.tenantId} />
        ) : null}
        <Select
          id="application"
          label="Application"
          value={chosen?.applicationId}
          options={all.map(({ applicationId, name }) => [applicationId, displayName(name, 60)] as const)}
        />
        <Button id="choose" kind="plain">
          {chosen === undefined ? 'Choose' : 'Change'}
        </Button>
      </form>
    </section>
  )
}

interface Choice {
  key: string
  id: string
  description: string
  kind: 'application' | 'delegated'
  byAdministrator: boolean
  isConfigured: boolean
  isGranted: boolean
}

const kindNames = { application: 'As itself', delegated: 'For a person who signed in' }

/** The form; what is granted already cannot be chosen. */
export function ChoosePermissions({
  context,
  api,
  application,
  ticked,
  reason,
}: {
  context: PortalContext
  api: CatalogueApi
  application: Application
  ticked: readonly string[]
  reason: string
}): VNode {
  const choices = choicesOf(context, api, application)
  const isDecider = isAdministrator(context.currentTenant.role)
  if (application.mayChange === false) {
    const owners = context.link(applicationPath(application.applicationId, 'owners'))
    return (
      <Notice id="only-owners">
        <p>
          Its <a href={owners}>owners</a> and the administrators of this tenant change this application. Ask one of them
          to add you.
        </p>
      </Notice>
    )
  }
  if (choices.every(({ isGranted }) => isGranted)) {
    return (
      <Notice id="nothing-left">
        <p>
          {choices.length === 0
            ? 'This API has no permission that an application of this type could have.'
            : 'The application has everything that this API offers it.'}
        </p>
      </Notice>
    )
  }
  return (
    <section class="card" aria-labelledby="which-title">
      <h2 id="which-title">Which permissions</h2>
      <Form id="request-form" action={context.address} token={context.token}>
        {(['application', 'delegated'] as const).map((kind) => {
          const own = choices.filter((one) => one.kind === kind)
          return own.length === 0 ? null : (
            <fieldset key={kind} class="choices">
              <legend>{kindNames[kind]}</legend>
              {own.map((choice) => (
                <OneChoice key={choice.key} choice={choice} isTicked={ticked.includes(choice.key)} />
              ))}
            </fieldset>
          )
        })}
        {isDecider ? null : (
          <TextArea
            id="reason"
            label="Why it needs them"
            hint="Your administrators read it when they decide. At most 500 characters."
            rows={3}
            required={false}
            maxLength={500}
            value={reason}
          />
        )}
        <Button id="request">{isDecider ? 'Add and go on to consent' : 'Request access'}</Button>
      </Form>
    </section>
  )
}

function OneChoice({ choice, isTicked }: { choice: Choice; isTicked: boolean }): VNode {
  const { key, id, description, byAdministrator, isConfigured, isGranted } = choice
  const name = `choice-${key.replace(/[^A-Za-z0-9.-]+/g, '_')}`
  return (
    <label class={isGranted ? 'choice there' : 'choice'} for={name}>
      <input
        type="checkbox"
        id={name}
        name="permission"
        value={key}
        {...(isGranted ? { checked: true, disabled: true } : { checked: isTicked })}
      />
      <span class="what">
        <span class="name">
          <code>{id}</code>
          {isGranted ? (
            <span class="tag good">Granted</span>
          ) : (
            <span class="tag">{byAdministrator ? 'An administrator decides' : 'People allow it themselves'}</span>
          )}
          {isConfigured && !isGranted ? <span class="tag">Listed already</span> : null}
        </span>
        <span class="soft">{displayName(description, 200)}</span>
      </span>
    </label>
  )
}

function choicesOf(
  { currentTenant }: PortalContext,
  { permissions }: CatalogueApi,
  { type, permissions: configured, consents }: Application,
): Choice[] {
  const given = consents.filter(({ tenantId }) => tenantId === currentTenant.tenantId).flatMap((one) => one.permissions)
  return permissions.flatMap(({ resource, id, description, kinds, administratorFor }) =>
    kinds
      .filter((kind) => type === 'web' || kind === 'delegated')
      .map((kind): Choice => {
        const key = keyOf({ kind, resource, id })
        return {
          key,
          id,
          description,
          kind,
          byAdministrator: administratorFor.includes(kind),
          isConfigured: configured.some((one) => keyOf(one) === key),
          isGranted: given.some((one) => keyOf(one) === key),
        }
      }),
  )
}
