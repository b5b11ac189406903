// Taking single permissions from an application: the page asks once more and says what stops, then they are withdrawn
// and the rest stays (C9).

import type { FastifyReply } from 'fastify'
import { notOver } from '../../directory/consents/consent-end.js'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import { listConsents, type UserConsent } from '../../directory/consents/consents.js'
import { withdrawUserPermissions } from '../../directory/consents/permission-withdrawal.js'
import type { PermissionRef } from '../../directory/records.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { type FormFields, formToken } from '../../web/form-token.js'
import { languageOf, textsOf } from '../../web/language/reader-language.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { Person } from '../sign-in/signed-in.js'
import { agentTools, isOfAgents } from './agent-tools.js'
import { NamedPermissions, permissionValue } from './held-list.js'
import { allowedForEverybody } from './held-permissions.js'
import { Permissions } from './parts.js'
import { sentenceOf } from './sentences.js'

const path = '/account/apps'

interface Held {
  applicationId: string
  tenantId: string
  taken: readonly UserConsent[]
  /** What is left, by the person and by an administrator. */
  rest: readonly PermissionRef[]
  ofTenant: readonly PermissionRef[]
}

/** Answers the form of a permission, or of several: first with the question. Throws StoreUnavailable. */
export async function takeAway(
  deps: IdentityDependencies,
  reply: FastifyReply,
  person: Person,
  fields: FormFields,
  whose: { applicationId: string; tenantId: string },
): Promise<FastifyReply> {
  const held = await readHeld(deps, person, fields, whose)
  const isOfTenant = held.taken.some((one) => includesPermission(held.ofTenant, one))
  if (isOfTenant) return reply.redirect(`${path}?done=of-tenant`, 303)
  if (fields.get('confirmed') !== 'yes') return ask(deps, reply, person, held)
  const { taken: permissions, rest } = held
  try {
    await withdrawUserPermissions(person.acting, { ...whose, userId: person.user.userId, permissions })
  } catch (error) {
    if (!(error instanceof DirectoryRefusal) || error.code !== 'ConsentOfTenant') throw error
    return reply.redirect(`${path}?done=of-tenant`, 303)
  }
  return reply.redirect(`${path}?done=${rest.length === 0 ? 'withdrawn' : 'taken'}`, 303)
}

async function readHeld(
  deps: IdentityDependencies,
  { user: { userId } }: Person,
  fields: FormFields,
  whose: { applicationId: string; tenantId: string },
): Promise<Held> {
  const named = new Set(fields.all('permission'))
  const ofTenant = await allowedForEverybody(deps, whose.applicationId, whose.tenantId)
  const consents = notOver(await listConsents(deps.store.reader, { ...whose, userId }), deps.now())
  const taken = consents.filter((one) => named.has(permissionValue(one)))
  const rest = [...consents.filter((one) => !taken.includes(one)), ...ofTenant]
  return { ...whose, taken, rest, ofTenant }
}

async function ask(
  deps: IdentityDependencies,
  reply: FastifyReply,
  { user, browser }: Person,
  held: Held,
): Promise<FastifyReply> {
  const { applicationId, tenantId, taken, rest } = held
  const registration = await deps.directory.findRegistration(applicationId)
  const tenant = await deps.directory.findTenant(tenantId)
  // Gone meanwhile, as by another click: the list says what there is.
  if (taken.length === 0 || registration === undefined || tenant === undefined) return reply.redirect(path, 303)
  const tools = await lostTools(deps, held)
  const { frame, consent } = textsOf(reply.request)
  const { apps } = consent
  const language = languageOf(reply.request)
  const lines = taken.map((ref) => sentenceOf(deps.settings.catalogue, ref, 'own', language))
  const [name, where] = [<bdi>{displayName(registration.name)}</bdi>, <bdi>{displayName(tenant.name)}</bdi>]
  return sendPage(
    reply,
    200,
    <Page title={apps.takeQuestion(taken.length)} intro={apps.takeFrom(name, where)} user={user}>
      <section class="card">
        <Permissions id="taken" lines={lines} gone />
        {tools.length === 0 ? null : (
          <div class="stack" id="lost-tools">
            <p>{apps.noLongerCalls}</p>
            <ul class="permissions gone">
              {tools.map((tool) => (
                <li key={tool}>
                  <code>{displayName(tool)}</code>
                </li>
              ))}
            </ul>
          </div>
        )}
        <p id="effect">{rest.length === 0 ? apps.lastOfAll : apps.takeEffect}</p>
        <Form
          id="confirm-form"
          action={path}
          token={formToken(deps, browser, 'apps')}
          hidden={{ act: 'take', application: applicationId, tenant: tenantId, confirmed: 'yes' }}
        >
          <NamedPermissions permissions={taken} />
          <div class="buttons">
            <Button id="confirm" kind="danger">
              {apps.take}
            </Button>
            <a id="keep" class="button plain" href={path}>
              {frame.cancel}
            </a>
          </div>
        </Form>
      </section>
    </Page>,
  )
}

/** The tools that an agent can call now, and not with what is left. */
async function lostTools(deps: IdentityDependencies, { tenantId, taken, rest }: Held): Promise<string[]> {
  if (!taken.some(({ resource }) => isOfAgents(deps, resource))) return []
  const after = new Set((await agentTools(deps, { tenantId, permissions: rest })).map(({ id }) => id))
  const before = await agentTools(deps, { tenantId, permissions: [...taken, ...rest] })
  return before.filter(({ id }) => !after.has(id)).map(({ tool }) => tool)
}
