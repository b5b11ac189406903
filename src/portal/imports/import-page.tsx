// /portal/import: what another product exported becomes registrations of the tenant: a look first, with everything that
// has no place here, then the import, with its new secrets. The page keeps what was prepared and not the file
// (decision 126).

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import { mostCharacters } from '../../management/imports/import-bounds.js'
import type { ImportAnswer } from '../../management/imports/import-schemas.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import type { Problem } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { DoneView } from './done-view.js'
import { entered, importPath, permissionMap } from './entered.js'
import { isOfThisMoment, NotNow } from './not-now.js'
import { PlanView } from './plan-view.js'
import { StartForm } from './start-form.js'

/** A file that is larger than an import may be is still read, so that the page can say so. */
const bodyLimit = 12 * 1_048_576

/** Registers it. */
export function registerImport(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: importPath,
    routeId: 'portal-import',
    bodyLimit,
    files: true,
    get: getPage(
      deps,
      async (_request, reply, context) => {
        // Who may not register applications is refused here, before they choose a file.
        await context.api('GET', '/applications?$top=1')
        return show(reply, context, 200, <StartForm context={context} />)
      },
      { freshFor: () => true },
    ),
    post: postForm(deps, async (_request, reply, context, form) => {
      try {
        return await answer(reply, context, form)
      } catch (error) {
        if (form.get('prepared') !== undefined && isOfThisMoment(error)) {
          return show(reply, context, error.status, <NotNow context={context} form={form} error={error} />)
        }
        const { problem, status } = formProblem(error, { permissionMap: 'map' })
        return refuse(reply, context, { form, problem, status })
      }
    }),
  })
}

async function answer(reply: FastifyReply, context: PortalContext, form: FormFields): Promise<FastifyReply> {
  const { source, content, update, map, step } = entered(form)
  const problem = content === undefined ? nothingSent(form) : tooLarge(source, content)
  if (problem !== undefined) return refuse(reply, context, { form, problem, status: 400 })
  const permissions = permissionMap(map)
  if (typeof permissions === 'string') {
    return refuse(reply, context, { form, problem: { message: permissions, target: 'map' }, status: 400 })
  }
  const body = { content, update, permissionMap: permissions, ...(source === '' ? {} : { source }) }
  if (step === 'import') {
    const done = await context.api<ImportAnswer<'imported'>>('POST', '/imports', body)
    const status = done.counts.created > 0 ? 201 : 200
    return show(reply, context, status, <DoneView context={context} done={done} />)
  }
  const plan = await context.api<ImportAnswer<'plan'>>('POST', '/imports/plan', body)
  return show(reply, context, 200, <PlanView context={context} plan={plan} map={map} update={update} />)
}

/** Both a file and a text, or neither. */
function nothingSent(form: FormFields): Problem {
  const both = form.get('file') !== undefined && form.get('text') !== undefined
  const message = both ? 'Choose a file or paste the text, not both.' : 'Choose a file, or paste what was exported.'
  return { message, target: 'file' }
}

/** Said here, because the API takes no body of that size. */
function tooLarge(source: string, content: string): Problem | undefined {
  if (source === 'prepared' || content.length <= mostCharacters) return undefined
  const message = 'The file is larger than 1 MiB: export clients alone, without users, or use portcullis import.'
  return { message, target: 'file' }
}

interface Refused {
  form: FormFields
  problem: Problem
  status: number
}

/** What was typed stays; a file has to be chosen again, because browsers keep none. */
function refuse(reply: FastifyReply, context: PortalContext, { form, problem, status }: Refused): FastifyReply {
  const at = problem.target === 'content' ? { ...problem, target: 'file' } : problem
  return show(reply, context, status, <StartForm context={context} values={entered(form)} problem={at} />)
}

function show(reply: FastifyReply, context: PortalContext, status: number, children: VNode): FastifyReply {
  return sendFramed(reply, context, {
    title: 'Import',
    activePath: '/portal/applications',
    eyebrow: <a href={context.link('/portal/applications')}>Applications</a>,
    intro: `Applications that another product has, as registrations in ${displayName(context.currentTenant.name)}.`,
    status,
    children,
  })
}
