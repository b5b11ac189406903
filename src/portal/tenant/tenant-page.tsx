// The tenant: its identifier and what one is in it, for everybody; its name and who may consent, for administrators.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { Answer } from '../../management/schemas.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { CopyValue } from '../copy.js'
import { date } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { ClientHosts, readClientHosts } from './client-hosts.js'
import { type NamedProvider, readWays, SignInWays } from './sign-in-ways.js'

const path = '/portal/tenant'
type Tenant = Answer<'tenant'>

interface Refused {
  problem: Problem
  status: number
  name: string
}

const consentChoices = [
  [
    'verified',
    'People, for themselves, where the publisher is known',
    'For the applications of this tenant, and those of others with a verified publisher.',
  ],
  ['allowed', 'People, for themselves, for every application', 'Whatever needs an administrator always does.'],
  ['administrators', 'Administrators only', 'People send a request instead of consenting.'],
] as const

const factorChoices = [
  ['none', 'Nobody'],
  ['owner', 'Owners'],
  ['administrator', 'Administrators and owners'],
  ['developer', 'Developers and those above'],
  ['member', 'Everybody'],
] as const

/** Registers it. */
export function registerTenantPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-tenant',
    get: getPage(deps, async (_request, reply, context) => show(deps, reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const name = form.get('name') ?? ''
      const userConsent = consentChoices.find(([value]) => value === form.get('consent'))?.[0] ?? 'administrators'
      const deviceCodes = form.get('devices') === 'allowed' ? 'allowed' : 'off'
      const administrators = form.get('administrators') === 'secondFactor' ? 'secondFactor' : 'any'
      const secondFactor = factorChoices.find(([value]) => value === form.get('second-factor'))?.[0]
      const { tenantId } = context.currentTenant
      const settings = {
        name,
        userConsent,
        deviceCodes,
        administrators,
        ...(secondFactor && { secondFactor }),
        ...readWays(form),
        ...readClientHosts(form),
      }
      try {
        await context.api('PATCH', `/tenants/${tenantId}`, settings)
      } catch (error) {
        return show(deps, reply, context, { ...formProblem(error), name })
      }
      return reply.redirect(doneLink(context, path, 'changed'), 303)
    }),
  })
}

async function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  refused?: Refused,
): Promise<FastifyReply> {
  const tenant = await context.api<Tenant>('GET', `/tenants/${context.currentTenant.tenantId}`)
  return sendFramed(reply, context, {
    title: displayName(tenant.name),
    activePath: path,
    intro: 'The business whose applications, people and data these are.',
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={{ changed: 'The settings are changed.' }} />
        <About tenant={tenant} context={context} />
        {isAdministrator(context.currentTenant.role) ? (
          <Settings
            tenant={tenant}
            context={context}
            refused={refused}
            providers={[...deps.settings.signIn.providers.values()]}
            taken={deps.settings.registration}
          />
        ) : null}
      </>
    ),
  })
}

function About({ tenant, context }: { tenant: Tenant; context: PortalContext }): VNode {
  return (
    <section class="card" aria-labelledby="about-title">
      <h2 id="about-title">About it</h2>
      <Facts
        id="tenant"
        rows={[
          [
            'Tenant ID',
            <CopyValue key="id" id="tenant-id" name="Tenant ID">
              {tenant.tenantId}
            </CopyValue>,
          ],
          [
            'In requests',
            <>
              Applications that are used in several tenants send it to say which one they mean (<code>tenant</code>, in
              the specification <code>requested_enrollment</code>).
            </>,
          ],
          ['Since', date(Date.parse(tenant.createdAt))],
          ['You are', context.currentTenant.role],
        ]}
      />
    </section>
  )
}

function Settings({
  tenant,
  context,
  refused,
  providers,
  taken,
}: {
  tenant: Tenant
  context: PortalContext
  providers: readonly NamedProvider[]
  taken: Parameters<typeof ClientHosts>[0]['taken']
  refused: Refused | undefined
}): VNode {
  const about = refused?.problem
  return (
    <section class="card" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      {about?.target === 'name' ? null : <ProblemNotice problem={about?.message} />}
      <Form id="tenant-form" action={context.address} token={context.token}>
        <Field
          id="name"
          label="Name"
          hint="People see it when they consent and when they choose a tenant."
          maxLength={256}
          value={refused?.name ?? tenant.name}
          error={about?.target === 'name' ? about.message : undefined}
        />
        <fieldset>
          <legend>Who may let an application act for people</legend>
          {consentChoices.map(([value, text, hint]) => (
            <label key={value} class="choice" for={`consent-${value}`}>
              <input
                type="radio"
                id={`consent-${value}`}
                name="consent"
                value={value}
                checked={tenant.userConsent === value}
              />
              <span>
                {text}
                <span class="fine"> {hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <label class="choice" for="devices">
          <input
            type="checkbox"
            id="devices"
            name="devices"
            value="allowed"
            checked={tenant.deviceCodes === 'allowed'}
          />
          <span>
            People may sign devices in with a code
            <span class="fine"> Typing somebody else’s code signs that person in, in your name.</span>
          </span>
        </label>
        <label class="choice" for="administrators">
          <input
            type="checkbox"
            id="administrators"
            name="administrators"
            value="secondFactor"
            checked={tenant.administrators === 'secondFactor'}
          />
          <span>
            Administrators need a second factor for changes of weight
            <span class="fine"> Who has none is shown where to set one up.</span>
          </span>
        </label>
        <SecondFactor tenant={tenant} context={context} />
        <SignInWays tenant={tenant} providers={providers} />
        <ClientHosts tenant={tenant} taken={taken} />
        <Button id="save">Save</Button>
      </Form>
    </section>
  )
}

/** A tenant may demand it of more of its people than the server does, not of fewer. */
function SecondFactor({ tenant, context }: { tenant: Tenant; context: PortalContext }): VNode {
  const roles = tenant.secondFactorRoles
  return (
    <div class="field">
      <label for="second-factor">Who needs a second factor to sign in</label>
      <p class="hint" id="second-factor-hint">
        They are led to set one up before they do anything else.{' '}
        {roles.length === 0 ? 'Nobody needs one now.' : `Now: ${roles.map((role) => `${role}s`).join(', ')}.`}{' '}
        {roles.length === 0 ? null : (
          <a id="lacking" href={context.link('/portal/people?lacking=factor')}>
            People who have none
          </a>
        )}
      </p>
      <select id="second-factor" name="second-factor" aria-describedby="second-factor-hint">
        {factorChoices.map(([value, text]) => (
          <option key={value} value={value} selected={tenant.secondFactor === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
