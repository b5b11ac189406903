// /portal/branding: what the pages look like on which people sign in to the applications of the tenant. Everybody in it
// sees that; its administrators change it.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { previewStylesheetName } from '../../branding/brand-stylesheet.js'
import type { BrandAnswer } from '../../management/brands/brand-schemas.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { brandOfServer, type PageBrand } from '../../web/brand/page-brand.js'
import { pageBrand } from '../../web/brand/worn-brand.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Facts } from '../../web/pages/elements.js'
import type { Problem } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { BrandForm, type BrandTexts, brandTexts, Swatch } from './brand-form.js'
import { logoChange } from './logo-field.js'
import { Previews } from './preview.js'

/** The page. */
export const brandingPath = '/portal/branding'
/** Two pictures that are too large are still read, so that the page can say so. */
const bodyLimit = 4 * 1_048_576

type Brand = BrandAnswer<'tenant'>

interface Refused {
  problem: Problem
  status: number
  entered?: BrandTexts | undefined
}

/** Registers it. */
export function registerBranding(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: brandingPath,
    routeId: 'portal-branding',
    bodyLimit,
    files: true,
    pictures: ['logo', 'logoDark'],
    get: getPage(deps, async (_request, reply, context) => show(deps, reply, context), {
      freshFor: ({ currentTenant }) => isAdministrator(currentTenant.role),
    }),
    post: postForm(deps, async (_request, reply, context, form) => {
      const entered = enteredTexts(form)
      const [light, dark] = [logoChange(form, 'logo'), logoChange(form, 'logoDark')]
      const problem = light.problem ?? dark.problem
      if (problem !== undefined) return show(deps, reply, context, { problem, status: 400, entered })
      const body = { ...entered, ...light.changes, ...dark.changes }
      try {
        await context.api('PATCH', brandApi(context), body, { 'if-match': form.get('seen') ?? '' })
      } catch (error) {
        const refused = formProblem(error)
        // What somebody else saved meanwhile is shown, not what would write over it.
        return show(deps, reply, context, { ...refused, entered: refused.status === 412 ? undefined : entered })
      }
      return reply.redirect(doneLink(context, brandingPath, 'changed'), 303)
    }),
  })
}

/** The brand of the tenant, below /api/v2. */
export function brandApi({ currentTenant }: PortalContext): string {
  return `/tenants/${currentTenant.tenantId}/brand`
}

/** A button may say another colour than its field. */
function enteredTexts(form: FormFields): BrandTexts {
  const said = brandTexts((name) => form.get(name))
  const taken = { accent: form.get('take-accent'), accentDark: form.get('take-accentDark') }
  return { ...said, accent: taken.accent ?? said.accent, accentDark: taken.accentDark ?? said.accentDark }
}

async function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  refused?: Refused,
): Promise<FastifyReply> {
  const brand = await context.api<Brand>('GET', brandApi(context))
  const worn = wornBy(deps, brand)
  const colours = previewStylesheetName(worn)
  const mayChange = isAdministrator(context.currentTenant.role)
  return sendFramed(reply, context, {
    title: 'Branding',
    activePath: brandingPath,
    intro: `What the pages look like on which people sign in to the applications of ${displayName(context.currentTenant.name)}.`,
    status: refused?.status,
    styles: colours === undefined ? [] : [`/brand/${colours}`],
    children: (
      <>
        <Done
          context={context}
          texts={{
            changed: 'The branding is changed. People see it on the next page that they open.',
            removed: 'The branding is removed: the pages look like this server’s again.',
          }}
        />
        <Previews brand={worn} />
        {mayChange ? (
          <BrandForm context={context} brand={brand} entered={refused?.entered} problem={refused?.problem} />
        ) : (
          <Said brand={brand} />
        )}
        {mayChange && isSaid(brand) ? <Removal context={context} /> : null}
      </>
    ),
  })
}

/** As pages wear it: a brand that says nothing, or is headed like the server, is the server's. */
function wornBy({ settings }: PortalDependencies, brand: Brand): PageBrand {
  if (!isSaid(brand)) return brandOfServer(settings.brand)
  const { brand: own, server } = settings
  const { logo, logoDark, ...said } = brand
  const shown = { ...said, logo: logo ?? undefined, logoDark: logoDark ?? undefined }
  const { name, accent, accentDark } = own
  const host = new URL(server.baseUrl).host
  return pageBrand(brand.shownName, { ...shown, name: '' }, { name, accent, accentDark, host }) ?? brandOfServer(own)
}

function isSaid(brand: Brand): boolean {
  return [...Object.values(brandTexts((name) => brand[name])), brand.logo ?? '', brand.logoDark ?? ''].some(
    (each) => each !== '',
  )
}

/** For those who may not change it. */
function Said({ brand }: { brand: Brand }): VNode {
  const colour = (text: string) =>
    text === '' ? (
      'That of this server'
    ) : (
      <>
        <Swatch colour={text} /> <code>{text}</code>
      </>
    )
  const link = (text: string) => (text === '' ? 'None' : text)
  return (
    <section class="card" aria-labelledby="said-title">
      <h2 id="said-title">What is set</h2>
      <p class="fine" id="who-changes">
        Administrators and owners of the tenant change it.
      </p>
      <Facts
        id="brand-said"
        rows={[
          ['Name', displayName(brand.shownName)],
          ['Accent', colour(brand.accent)],
          ['On dark pages', colour(brand.accentDark)],
          ['Terms', link(brand.terms)],
          ['Privacy', link(brand.privacy)],
          ['Support', link(brand.support)],
        ]}
      />
    </section>
  )
}

function Removal({ context }: { context: PortalContext }): VNode {
  return (
    <section class="card" aria-labelledby="remove-title">
      <h2 id="remove-title">Look like the server again</h2>
      <p>Removing the branding takes name, logos, colours and links away together.</p>
      <p>
        <a class="button danger" id="remove-brand" href={context.link(`${brandingPath}/remove`)}>
          Remove the branding
        </a>
      </p>
    </section>
  )
}
