// Passkeys: making one (WebAuthn Level 3 §7.1), naming and removing. Making one needs the page's script; the rest does
// not.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Said } from '../../languages/texts.js'
import { UniqueViolation } from '../../storage/sql/store.js'
import { listPasskeys } from '../../users/credentials/passkeys.js'
import { removePasskey } from '../../users/credentials/remove-passkey.js'
import { renamePasskey } from '../../users/credentials/rename-passkey.js'
import { UserRefusal } from '../../users/refusal.js'
import { continueBrowser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { textsOf } from '../../web/language/reader-language.js'
import { refusalText } from '../../web/language/refusal-text.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { withFactor, withoutFactor } from '../sign-in/step-up/proof-after.js'
import { type DoneWord, doneOf } from './done-notice.js'
import { passkeyCreation, savePasskey } from './passkey-registration.js'
import { PasskeysPage } from './passkeys-page.js'

const path = '/account/passkeys'
const formScope = 'account-passkeys'

/** Registers /account/passkeys. */
export function registerPasskeys(scope: FastifyInstance, deps: IdentityDependencies): void {
  const recent = { recent: true }
  registerPage(scope, deps, {
    path,
    routeId: 'account-passkeys',
    beforeSecondFactor: true,
    get: shown(deps, async (request, reply, person) => show(deps, reply, person, { done: doneOf(request) }), recent),
    post: taken(
      deps,
      async (request, reply, person) => {
        const fields = checkForm(deps, request, person.browser, formScope)
        const { acting, user } = person
        const { proposed } = textsOf(request).account.passkey
        const [credentialId, name] = [fields.get('credential') ?? '', fields.get('name') ?? '']
        if (fields.get('action') === 'rename') {
          await renamePasskey(acting, { userId: user.userId, credentialId, name })
          return reply.redirect(`${path}?done=passkey-renamed`, 303)
        }
        if (fields.get('action') === 'remove') {
          const refused = await removePasskey(acting, user.userId, credentialId, person.session.idHash).catch(lastOne)
          if (refused !== undefined) return show(deps, reply, person, { refused })
          const proof = await withoutFactor(deps.store.reader, person.session)
          if (proof !== undefined) await continueBrowser(deps, request, reply, person.session, proof)
          return reply.redirect(`${path}?done=passkey-removed`, 303)
        }
        const saved = await savePasskey(deps, person, {
          answer: fields.get('passkey') ?? '',
          name: name || proposed,
        }).catch(known)
        if (saved === undefined) return show(deps, reply, person, { problem: true })
        const proof = withFactor(person.session, ['hwk', 'user'])
        await continueBrowser(deps, request, reply, person.session, { ...proof, basis: { passkey: saved } })
        return reply.redirect(`${path}?done=passkey`, 303)
      },
      recent,
    ),
    bodyLimit: 65_536,
  })
}

/** A credential that is remembered already is not taken a second time, whosever it is. */
function known(error: unknown): undefined {
  if (error instanceof UniqueViolation) return undefined
  throw error
}

/** The page says that the last factor of somebody who has to have one stays. */
function lastOne(error: unknown): Said {
  if (error instanceof UserRefusal && error.code === 'SecondFactorRequired') return refusalText(error)
  throw error
}

async function show(
  deps: IdentityDependencies,
  reply: FastifyReply,
  person: Person,
  view: { done?: DoneWord | undefined; problem?: boolean; refused?: Said },
): Promise<FastifyReply> {
  const passkeys = await listPasskeys(deps.store.reader, person.user.userId)
  const page = (
    <PasskeysPage
      user={person.user}
      token={formToken(deps, person.browser, formScope)}
      passkeys={passkeys}
      creation={passkeyCreation(deps, person, passkeys)}
      done={view.done}
      problem={view.problem === true}
      refused={view.refused}
    />
  )
  const status = view.refused === undefined ? 200 : 409
  return sendPage(reply, view.problem === true ? 400 : status, page, { script: true })
}
