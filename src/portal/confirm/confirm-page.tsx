// /portal/confirm: what was typed into a form before the person had to sign in once more. They look at it and send it,
// or go back to the page that it stood on.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import { findPending } from '../../identity/pending/pending-request.js'
import { singleFormToken } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { PageError } from '../../web/pages/page-error.js'
import { formScopeOf, getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { portalOperations } from '../operations.js'
import { type PendingForm, pendingForm } from './pending-form.js'

/** Registers it. */
export function registerConfirm(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/confirm',
    routeId: 'portal-confirm',
    get: getPage(deps, async (_request, reply, context) => {
      const { browser, user } = context.person
      const pending = await findPending(deps, browser, context.query.get('request') ?? undefined)
      const form = pendingForm(pending, user.userId)
      if (form === undefined) throw expired()
      const token = singleFormToken(deps, browser, formScopeOf(form.path))
      return sendFramed(reply, context, {
        title: 'Confirm the change',
        intro: 'Nothing has changed yet: you had to sign in again first.',
        activePath: `/portal/${form.path.split(/[/?]/)[2] ?? ''}`,
        children: <Confirm form={form} token={token} context={context} />,
      })
    }),
  })
}

/** Which version of something was seen: nothing that anybody entered. */
const unsaid: ReadonlySet<string> = new Set(['seen'])
/** Where a file is a picture, which the form has in base64; everything else is shown as it was entered. */
const pages = /^\/portal\/(?:branding|applications\/[\w-]+\/branding)(?:\?|$)/
const pictures: ReadonlySet<string> = new Set(['logo', 'logoDark'])

function Confirm({ form, token, context }: { form: PendingForm; token: string; context: PortalContext }): VNode {
  const rows = form.fields.filter(([name, value]) => value !== '' && !unsaid.has(name))
  const names = [...new Set(rows.map(([name]) => name))]
  const page = titleOf(form.path)
  return (
    <section class="card" aria-labelledby="what">
      <h2 id="what">{page === undefined ? 'What you entered' : `What you entered at “${page}”`}</h2>
      {names.length === 0 ? null : (
        <Facts id="entered" rows={names.map((name) => [words(name), <Values key={name} form={form} name={name} />])} />
      )}
      <Form id="confirm-form" action={form.path} token={token}>
        {form.fields.map(([name, value], at) => (
          <input key={String(at)} type="hidden" name={name} value={value} />
        ))}
        <div class="buttons">
          <Button id="confirm">Make this change</Button>
          <a class="button plain" id="cancel" href={form.path}>
            Go back without changing anything
          </a>
        </div>
      </Form>
      <p class="fine">
        As {displayName(context.person.user.email)}. What you entered is kept for an hour after you first sent it.
      </p>
    </section>
  )
}

function Values({ form: { path, fields }, name }: { form: PendingForm; name: string }): VNode {
  const isPicture = pictures.has(name) && pages.test(path)
  const values = fields.filter(([each, value]) => each === name && value !== '').map(([, value]) => value)
  const lines = values.flatMap((value) => (isPicture ? [pictureText(value)] : value.split(/\r?\n/)))
  return (
    <>
      {lines.map((line, at) => (
        <div key={String(at)}>{line}</div>
      ))}
    </>
  )
}

function pictureText(base64: string): string {
  return `A picture of ${Buffer.byteLength(base64, 'base64').toLocaleString('en')} bytes`
}

/** `redirectUris` becomes `Redirect uris`. */
function words(name: string): string {
  const text = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/[-_]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What the page of that path is called in the document of the API. */
function titleOf(path: string): string | undefined {
  const parts = (path.split('?', 1)[0] ?? '').split('/')
  const pages = Object.entries(portalOperations.pages ?? {}).filter(([pattern]) => {
    const expected = pattern.split('/')
    return expected.length === parts.length && expected.every((part, at) => part.startsWith('{') || part === parts[at])
  })
  // `new` is a page of its own beside `{id}`.
  const [best] = pages.sort(([one], [other]) => one.split('{').length - other.split('{').length)
  return best?.[1]
}

function expired(): PageError {
  return new PageError({
    status: 404,
    title: 'This form has expired',
    what: 'What you enter is kept for an hour, for you and in this browser only. Nothing was changed.',
    remedy: 'Go back to the page and enter it again.',
    links: [{ href: '/portal/applications', text: 'Go to applications' }],
    reason: 'no_kept_form',
  })
}
