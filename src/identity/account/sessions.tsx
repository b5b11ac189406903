// Where one is signed in: each browser with its last use, this one marked; one can be ended, or all.

import type { FastifyInstance } from 'fastify'
import type { VNode } from 'preact'
import type { Session } from '../../users/records.js'
import { signOutEverywhere } from '../../users/sessions/end-access.js'
import { endSession, listSessions } from '../../users/sessions/sessions.js'
import { signOutBrowser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { useTexts } from '../../web/language/texts.js'
import { Time } from '../../web/language/time.js'
import { registerPage } from '../../web/page-routes.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { browserName } from './browser-name.js'
import { Done, type DoneWord, doneOf } from './done-notice.js'
import { SettingsPage } from './settings-page.js'

const path = '/account/sessions'

/** Registers /account/sessions. */
export function registerSessions(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'account-sessions',
    get: shown(deps, async (request, reply, person) => {
      const sessions = await listSessions(person.acting, person.user.userId)
      const token = formToken(deps, person.browser, 'account-sessions')
      return sendPage(
        reply,
        200,
        <SessionsPage person={person} sessions={sessions} token={token} done={doneOf(request)} />,
      )
    }),
    post: taken(deps, async (request, reply, { acting, user, browser }) => {
      const fields = checkForm(deps, request, browser, 'account-sessions')
      if (fields.get('everywhere') !== undefined) {
        await signOutEverywhere(acting, user.userId)
        await signOutBrowser(deps, request, reply)
        return reply.redirect('/sign-out', 303)
      }
      // Only of this person: the hash of somebody else's session ends nothing.
      const shownSession = { idHash: fields.get('session') ?? '', createdAt: Number(fields.get('begun') ?? Number.NaN) }
      await endSession(acting, { ...shownSession, userId: user.userId })
      return reply.redirect(`${path}?done=session`, 303)
    }),
  })
}

function SessionsPage({
  person: { user, session },
  sessions,
  token,
  done,
}: {
  person: Person
  sessions: readonly Session[]
  token: string
  done: DoneWord | undefined
}): VNode {
  const { frame, account } = useTexts()
  const texts = account.session
  return (
    <SettingsPage title={account.sessions} intro={texts.intro} width="wide" user={user}>
      <Done done={done} />
      <div class="card">
        <ul class="list" id="sessions">
          {sessions.map((each) => (
            <li key={each.idHash}>
              <span class="what">
                <span class="name">
                  {browserName(account, each.userAgent)}{' '}
                  {each.idHash === session.idHash ? (
                    <span class="tag good" id="this-session">
                      {texts.thisBrowser}
                    </span>
                  ) : null}
                </span>
                <span class="fine">{texts.lastUsed(<Time at={each.lastSeenAt} />, each.address)}</span>
                <span class="fine">{texts.signedIn(<Time at={each.authTime * 1000} />)}</span>
              </span>
              {each.idHash === session.idHash ? null : (
                <Form
                  id={`end-${each.idHash.slice(0, 12)}`}
                  action={path}
                  token={token}
                  hidden={{ session: each.idHash, begun: String(each.createdAt) }}
                >
                  <button
                    type="submit"
                    class="plain small"
                    aria-label={texts.signOutOf(browserName(account, each.userAgent))}
                  >
                    {frame.signOut}
                  </button>
                </Form>
              )}
            </li>
          ))}
        </ul>
      </div>
      <div class="card">
        <h2>{texts.everywhere}</h2>
        <p>{texts.everywhereText}</p>
        <Form id="everywhere-form" action={path} token={token} hidden={{ everywhere: 'yes' }}>
          <Button id="sign-out-everywhere" kind="danger">
            {texts.signOutEverywhere}
          </Button>
        </Form>
      </div>
    </SettingsPage>
  )
}
