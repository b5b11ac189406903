// The page behind an administrator's link that says who somebody is at a provider (decision 130). It is for that person,
// signed in here not long ago; from here they go to the provider, and what comes back is compared with what the link says.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OneTimeLink } from '../../users/accounts/one-time-links.js'
import { takenProviders } from '../../users/sessions/tenant-ways.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { textsOf } from '../../web/language/reader-language.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { sendPage } from '../../web/pages/send-page.js'
import { SettingsPage } from '../account/settings-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { gone, requireLink } from '../sign-in/link-pages.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { goThere } from './linked-providers.js'
import type { Providers } from './providers.js'

const path = '/link-provider'

interface Offer {
  secret: string
  tenantName: string
  /** At the provider. */
  address: string
  /** Names of the providers that the tenant takes. */
  names: ReadonlySet<string>
}

/** Registers /link-provider/<link>. */
export function registerLinkPage(scope: FastifyInstance, deps: IdentityDependencies, providers: Providers): void {
  const recent = { recent: true }
  registerPage(scope, deps, {
    path: `${path}/:link`,
    routeId: 'link-provider',
    get: shown(
      deps,
      async (request, reply, person) => show(deps, reply, person, await offerOf(deps, request, person)),
      recent,
    ),
    post: taken(
      deps,
      async (request, reply, person) => {
        const offer = await offerOf(deps, request, person)
        const name = checkForm(deps, request, person.browser, scopeOf(offer)).get('provider') ?? ''
        const provider = offer.names.has(name) ? providers.get(name) : undefined
        if (provider === undefined) return show(deps, reply, person, offer)
        return goThere(deps, reply, person, { provider, link: offer.secret })
      },
      recent,
    ),
  })
}

/** Of the link in the address, for the person who is here. Throws PageError 404 when it is for somebody else, too. */
async function offerOf(deps: IdentityDependencies, request: FastifyRequest, person: Person): Promise<Offer> {
  const { secret, link } = await requireLink(deps, request, 'provider-link')
  const tenant = await tenantOf(deps, link)
  if (link.userId !== person.user.userId || tenant === undefined) throw gone('provider-link')
  await person.browser.wear?.({ tenantId: tenant.tenantId })
  const names = takenProviders(tenant, deps.settings.signIn.providers.values()).map(({ name }) => name)
  return { secret, tenantName: tenant.name, address: link.email ?? '', names: new Set(names) }
}

function tenantOf({ directory }: IdentityDependencies, { tenantId }: OneTimeLink) {
  return tenantId === undefined ? undefined : directory.findTenant(tenantId)
}

function scopeOf({ secret }: Offer): string {
  return `link-provider:${secret}`
}

function show(deps: IdentityDependencies, reply: FastifyReply, person: Person, offer: Offer): FastifyReply {
  const { account } = textsOf(reply.request)
  const texts = account.provider
  const { secret, tenantName, address, names } = offer
  const token = formToken(deps, person.browser, scopeOf(offer))
  const offered = [...deps.settings.signIn.providers.values()].filter(({ name }) => names.has(name))
  const intro = texts.byLink.intro(displayName(tenantName), displayName(address, 254))
  const page = (
    <SettingsPage title={texts.byLink.title} intro={intro} user={person.user}>
      <div class="card">
        {offered.length === 0 ? <p id="no-provider">{texts.byLink.none}</p> : null}
        {offered.map(({ name, label }) => (
          <Form key={name} id={`by-${name}`} action={`${path}/${secret}`} token={token} hidden={{ provider: name }}>
            <Button id={`choose-${name}`}>{texts.goOn(displayName(label))}</Button>
          </Form>
        ))}
      </div>
    </SettingsPage>
  )
  return sendPage(reply, 200, page)
}
