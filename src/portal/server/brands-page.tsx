// /portal/server/brands: what a tenant or an application looks like, for operators, who take it away when it imitates
// somebody. Their reason stands in the audit log of whose it was.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { ApiError } from '../../http/answers/api-error.js'
import type { BrandAnswer } from '../../management/brands/brand-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { SearchForm } from '../lists/search.js'

/** The page; `?search=` says whose. */
export const brandsPath = '/portal/server/brands'

type Brand = BrandAnswer<'tenant'> | BrandAnswer<'application'>

interface Refused {
  problem: Problem
  status: number
  reason?: string | undefined
}

/** Registers it. */
export function registerBrandsPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: brandsPath,
    routeId: 'portal-server-brands',
    get: getPage(deps, async (_request, reply, context) => show(reply, context, context.query.get('search') ?? '')),
    post: postForm(deps, async (_request, reply, context, form) => {
      const [of, reason] = [form.get('of') ?? '', form.get('reason') ?? '']
      const found = await findBrand(context, of)
      if (found === undefined) return show(reply, context, of)
      try {
        await context.api('POST', `${found.path}/removal`, { reason })
      } catch (error) {
        return show(reply, context, of, { ...formProblem(error), reason })
      }
      return reply.redirect(context.link(`${brandsPath}?${new URLSearchParams({ search: of, done: 'removed' })}`), 303)
    }),
  })
}

/** Of the tenant or the application of this identifier. Throws ApiError. */
async function findBrand(context: PortalContext, of: string): Promise<{ path: string; brand: Brand } | undefined> {
  if (of.trim() === '') return undefined
  for (const kind of ['tenants', 'applications'] as const) {
    const path = `/${kind}/${encodeURIComponent(of.trim())}/brand`
    try {
      return { path, brand: await context.api<Brand>('GET', path) }
    } catch (error) {
      if (!(error instanceof ApiError) || ![400, 404].includes(error.status)) throw error
    }
  }
  return undefined
}

async function show(reply: FastifyReply, context: PortalContext, of: string, refused?: Refused): Promise<FastifyReply> {
  // The brands answer others too, with their own.
  if (!context.person.user.isOperator) {
    throw new ApiError(403, 'OperatorRequired', 'This is for the operators of this installation.')
  }
  const found = await findBrand(context, of)
  const isMissing = of.trim() !== '' && found === undefined
  return sendFramed(reply, context, {
    title: 'Brands',
    activePath: brandsPath,
    intro: 'What a tenant or an application looks like to people. Take it away when it passes for somebody else.',
    status: refused?.status ?? (isMissing ? 404 : undefined),
    children: (
      <>
        <Done
          context={context}
          texts={{ removed: 'It is taken away. The audit log of the tenant says so, with your reason.' }}
        />
        <SearchForm
          context={context}
          path={brandsPath}
          label="Identifier of a tenant or an application"
          search={of}
          hidden={{}}
        />
        {isMissing ? (
          <section class="card" aria-label="Nothing found">
            <p id="nothing-found">
              No tenant and no application has the identifier “{displayName(of, 80)}”. Tenants are listed under{' '}
              <a href={context.link('/portal/server/tenants')}>Tenants</a>; a consent page has that of the application
              in its address.
            </p>
          </section>
        ) : null}
        {found === undefined ? null : <Shown brand={found.brand} />}
        {found === undefined || !saysAnything(found.brand) ? null : (
          <Removal context={context} of={of} refused={refused} />
        )}
      </>
    ),
  })
}

const texts = ['home', 'terms', 'privacy', 'support', 'accent', 'accentDark'] as const

function said(brand: Brand): (readonly [label: string, value: string])[] {
  const labels = ['Home page', 'Terms', 'Privacy', 'Support', 'Accent', 'On dark pages']
  const values = Object.entries(brand)
  return texts.flatMap((field, i) => {
    const [, value] = values.find(([name]) => name === field) ?? []
    return typeof value === 'string' && value !== '' ? [[labels[i] ?? field, value] as const] : []
  })
}

function saysAnything(brand: Brand): boolean {
  const hasName = 'shownName' in brand && brand.name !== ''
  return hasName || logosOf(brand).length > 0 || said(brand).length > 0
}

function logosOf(brand: Brand) {
  return [brand.logo, 'logoDark' in brand ? brand.logoDark : null].flatMap((logo) => (logo === null ? [] : [logo]))
}

function Shown({ brand }: { brand: Brand }): VNode {
  const isTenant = 'shownName' in brand
  const name = displayName(isTenant ? brand.shownName : brand.name)
  return (
    <section class="card" aria-labelledby="shown-title">
      <h2 id="shown-title">{name}</h2>
      {logosOf(brand).map((logo, i) => (
        <span key={logo.path} class={`logo-now ${i === 0 ? 'in-light' : 'in-dark'}`}>
          <img src={logo.path} width={logo.width} height={logo.height} alt={`A logo of ${name}`} />
        </span>
      ))}
      <Facts
        id="brand-said"
        rows={[
          isTenant ? ['Tenant', brand.tenantId] : ['Application', brand.applicationId],
          ...(isTenant ? [] : [['Registered by', displayName(brand.tenantName)] as const]),
          ...said(brand),
        ]}
      />
      {saysAnything(brand) ? null : (
        <p id="says-nothing">{isTenant ? 'It has no brand: its pages look like this server’s.' : 'It says nothing.'}</p>
      )}
    </section>
  )
}

function Removal({
  context,
  of,
  refused,
}: {
  context: PortalContext
  of: string
  refused: Refused | undefined
}): VNode {
  const problem = refused?.problem
  return (
    <section class="card" aria-labelledby="remove-title">
      <h2 id="remove-title">Take it away</h2>
      <ProblemNotice problem={problem} fields={['reason']} />
      <p>
        Name, logos, colours and links are deleted together. Nobody is signed out, and no token ends. Whose it was can
        give it another one.
      </p>
      <Form id="remove-form" action={context.link(brandsPath)} token={context.token} hidden={{ of }}>
        <Field
          id="reason"
          label="Reason"
          hint="The administrators of the tenant read it in their audit log."
          maxLength={200}
          value={refused?.reason}
          error={problemAt(problem, 'reason')}
        />
        <div class="buttons">
          <Button id="remove" kind="danger">
            Take the brand away
          </Button>
        </div>
      </Form>
    </section>
  )
}
