// The second step of signing in: turning it on with a first code, the recovery codes, turning it off. The seed waits
// sealed in the form, useless to everybody but this server and for everybody but this person; no row has it before it
// is confirmed.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MasterKeyMismatch } from '../../tokens/keys/key-encryption.js'
import { addSecondFactor, removeSecondFactor, renewRecoveryCodes } from '../../users/credentials/second-factor.js'
import { createSeed, openSeed } from '../../users/credentials/totp.js'
import { UserRefusal } from '../../users/refusal.js'
import { continueBrowser } from '../../web/browser.js'
import { checkForm, type FormFields, formToken } from '../../web/form-token.js'
import { refusalText } from '../../web/language/refusal-text.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { withFactor, withoutFactor } from '../sign-in/step-up/proof-after.js'
import { CodesPage, ManagePage, TurnOnPage } from './second-factor-pages.js'

const path = '/account/second-factor'
const formScope = 'account-second-factor'

/** Registers /account/second-factor. */
export function registerSecondFactorSettings(scope: FastifyInstance, deps: IdentityDependencies): void {
  const recent = { recent: true }
  registerPage(scope, deps, {
    path,
    routeId: 'account-second-factor',
    beforeSecondFactor: true,
    get: shown(deps, async (_request, reply, person) => show(deps, reply, person), recent),
    post: taken(
      deps,
      async (request, reply, person) => {
        const fields = checkForm(deps, request, person.browser, formScope)
        const action = fields.get('action')
        if (action === 'renew') return renew(deps, request, reply, person)
        if (action === 'off') return turnOff(deps, request, reply, person)
        return turnOn(deps, request, reply, person, fields)
      },
      recent,
    ),
  })
}

function show(deps: IdentityDependencies, reply: FastifyReply, { user, browser, acting }: Person): FastifyReply {
  const token = formToken(deps, browser, formScope)
  if (user.hasSecondFactor) return sendPage(reply, 200, <ManagePage user={user} token={token} />)
  return sendPage(reply, 200, <TurnOnPage user={user} token={token} seed={createSeed(acting, user)} />)
}

async function turnOn(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  fields: FormFields,
): Promise<FastifyReply> {
  const { user, acting, browser, session } = person
  const sealed = fields.get('sealed') ?? ''
  try {
    const codes = await addSecondFactor(acting, { userId: user.userId, sealed, code: fields.get('code') ?? '' })
    await continueBrowser(deps, request, reply, session, { ...withFactor(session, ['otp']), basis: { codes: true } })
    return sendPage(reply, 200, <CodesPage user={user} codes={codes} isNew />, { script: true })
  } catch (error) {
    // The field is the browser's: whatever this server did not seal is no seed.
    if (error instanceof MasterKeyMismatch) return reply.redirect(path, 303)
    if (!(error instanceof UserRefusal) || error.code !== 'WrongCode') throw error
    const token = formToken(deps, browser, formScope)
    // The same seed again: the app has it already.
    const seed = openSeed(acting, user, sealed)
    return sendPage(reply, 400, <TurnOnPage user={user} token={token} seed={seed} problem={refusalText(error)} />)
  }
}

async function renew(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, acting, session }: Person,
): Promise<FastifyReply> {
  const codes = await renewRecoveryCodes(acting, user.userId)
  await continueBrowser(deps, request, reply, session)
  return sendPage(reply, 200, <CodesPage user={user} codes={codes} isNew={false} />, { script: true })
}

async function turnOff(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, acting, browser, session }: Person,
): Promise<FastifyReply> {
  try {
    await removeSecondFactor(acting, user.userId, session.idHash)
  } catch (error) {
    if (!(error instanceof UserRefusal)) throw error
    const token = formToken(deps, browser, formScope)
    return sendPage(reply, 409, <ManagePage user={user} token={token} problem={refusalText(error)} />)
  }
  await continueBrowser(deps, request, reply, session, await withoutFactor(deps.store.reader, session))
  return reply.redirect('/account?done=second-factor-off', 303)
}
