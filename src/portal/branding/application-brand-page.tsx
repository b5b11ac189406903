// /portal/applications/{id}/branding: what an application says of itself where people decide about it. Its owners change
// that; it stands below its name, as its own words.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { entityTag } from '../../management/answers/entity-tag.js'
import type { BrandAnswer } from '../../management/brands/brand-schemas.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { type Application, applicationOfPage, applicationPath, sendApplicationPage } from '../application-page.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { LogoField, logoChange } from './logo-field.js'

const bodyLimit = 4 * 1_048_576
const fields = [
  ['home', 'Home page'],
  ['terms', 'Terms'],
  ['privacy', 'Statement on privacy'],
] as const

type Brand = BrandAnswer<'application'>
type Links = Record<(typeof fields)[number][0], string>

interface Refused {
  problem: Problem
  status: number
  entered?: Links | undefined
}

/** Registers it. */
export function registerApplicationBranding(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: applicationPath(':id', 'branding'),
    routeId: 'portal-application-branding',
    bodyLimit,
    files: true,
    pictures: ['logo'],
    get: getPage(deps, async (request, reply, context) => show(request, reply, context), { freshFor: () => true }),
    post: postForm(deps, async (request, reply, context, form) => {
      const refused = await change(request, context, form)
      if (refused !== undefined) return show(request, reply, context, refused)
      const { applicationId } = await applicationOfPage(request, context)
      return reply.redirect(doneLink(context, applicationPath(applicationId, 'branding'), 'changed'), 303)
    }),
  })
}

async function change(request: FastifyRequest, context: PortalContext, form: FormFields): Promise<Refused | undefined> {
  const { applicationId } = await applicationOfPage(request, context)
  const path = `/applications/${applicationId}/brand`
  const said = (name: keyof Links) => form.get(name) ?? ''
  const entered = { home: said('home'), terms: said('terms'), privacy: said('privacy') }
  const { changes, problem } = logoChange(form, 'logo')
  if (problem !== undefined) return { problem, status: 400, entered }
  try {
    await context.api('PATCH', path, { ...entered, ...changes }, { 'if-match': form.get('seen') ?? '' })
    return undefined
  } catch (error) {
    const refused = formProblem(error)
    // What somebody else saved meanwhile is shown, not what would write over it.
    return { ...refused, entered: refused.status === 412 ? undefined : entered }
  }
}

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  context: PortalContext,
  refused?: Refused,
): Promise<FastifyReply> {
  const application = await applicationOfPage(request, context)
  const brand = await context.api<Brand>('GET', `/applications/${application.applicationId}/brand`)
  const { problem, status, entered: values = brand } = refused ?? {}
  return sendApplicationPage(reply, context, {
    application,
    at: 'branding',
    intro: 'What it says of itself where people decide about it. It stands below its name, as its own words.',
    status,
    children: (
      <>
        <Done context={context} texts={{ changed: 'People see it the next time they decide about the application.' }} />
        <Shown application={application} brand={brand} />
        <section class="card" aria-labelledby="change-title">
          <h2 id="change-title">Logo and links</h2>
          <ProblemNotice problem={problem} fields={['home', 'terms', 'privacy', 'logo']} />
          <Form
            id="brand-form"
            action={context.address}
            token={context.token}
            files={true}
            hidden={{ seen: entityTag(brand) }}
          >
            <LogoField
              id="logo"
              label="Logo"
              hint="PNG, JPEG or WebP, at most 64 KiB and 1,024 pixels a side. Nothing but the picture is kept. Without one: the first letter of its name."
              logo={brand.logo}
              problem={problem}
            />
            {fields.map(([id, label]) => (
              <Field
                key={id}
                id={id}
                label={label}
                hint="https:// and an address. Empty: none is shown."
                required={false}
                maxLength={512}
                value={values[id]}
                error={problemAt(problem, id)}
              />
            ))}
            <Button id="save">Save</Button>
          </Form>
        </section>
      </>
    ),
  })
}

/** As it stands where people decide. */
function Shown({ application: { name }, brand }: { application: Application; brand: Brand }) {
  const shown = displayName(name)
  const home = brand.home === '' ? [] : [new URL(brand.home).host]
  const said = [...home, ...(brand.terms === '' ? [] : ['Terms']), ...(brand.privacy === '' ? [] : ['Privacy'])]
  return (
    <section class="card" aria-labelledby="preview-title">
      <h2 id="preview-title">What people see</h2>
      <div class="looks">
        {(['light', 'dark'] as const).map((theme) => (
          <div key={theme} class={`look in-${theme}`} id={`look-${theme}`} role="img" aria-label={`On a ${theme} page`}>
            <span class="asker">
              {brand.logo === null ? (
                <span class="app-mark">{[...shown][0]?.toUpperCase()}</span>
              ) : (
                <img
                  class="app-logo"
                  src={brand.logo.path}
                  width={brand.logo.width}
                  height={brand.logo.height}
                  alt=""
                />
              )}
              <span class="what">
                <span class="name">{shown}</span>
                {said.length === 0 ? null : <span class="fine">It says of itself: {said.join(' · ')}</span>}
              </span>
            </span>
          </div>
        ))}
      </div>
    </section>
  )
}
