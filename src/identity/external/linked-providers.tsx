// Which providers an account is linked with: one may be added by going there and back, and taken away when there is
// another way in. Linking begins with a form of ours (C2): a link that another site could open would let its owner in
// later.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ComponentChildren, VNode } from 'preact'
import { type LinkedProvider, listLinkedProviders, unlinkProvider } from '../../users/accounts/external-identities.js'
import { checkOwnLink, type Keeper, keeperOf } from '../../users/accounts/kept-links.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { textsOf } from '../../web/language/reader-language.js'
import { useTexts } from '../../web/language/texts.js'
import { Time } from '../../web/language/time.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Form } from '../../web/pages/form.js'
import { ListItem } from '../../web/pages/list-item.js'
import { sendPage } from '../../web/pages/send-page.js'
import { Done, type DoneWord, doneOf } from '../account/done-notice.js'
import { SettingsPage } from '../account/settings-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { startLogin } from './pending-login.js'
import type { Provider, Providers } from './providers.js'
import { refusedLogin } from './refusals.js'
import { linkedProvidersPath as path } from './sign-in.js'

const formScope = 'account-providers'

/** Registers /account/providers. */
export function registerLinkedProviders(
  scope: FastifyInstance,
  deps: IdentityDependencies,
  providers: Providers,
): void {
  const recent = { recent: true }
  registerPage(scope, deps, {
    path,
    routeId: 'account-providers',
    get: shown(
      deps,
      async (request, reply, { user, browser }) => {
        const linked = await listLinkedProviders(deps.store.reader, user.userId)
        const token = formToken(deps, browser, formScope)
        const keeper = await keeperOf(deps.users, deps.store.reader, user.userId)
        const view = { user, linked, keeper, token, providers: [...providers.values()], done: doneOf(request) }
        return sendPage(reply, 200, <LinkedProvidersPage {...view} />)
      },
      recent,
    ),
    post: taken(
      deps,
      async (request, reply, person) => {
        const fields = checkForm(deps, request, person.browser, formScope)
        const unlink = fields.get('unlink')
        if (unlink !== undefined) {
          const { user, session } = person
          await unlinkProvider(person.acting, { userId: user.userId, issuer: unlink, except: session.idHash })
          return reply.redirect(`${path}?done=provider-unlinked`, 303)
        }
        const provider = providers.get(fields.get('link') ?? '')
        return provider === undefined ? reply.redirect(path, 303) : goThere(deps, reply, person, { provider })
      },
      recent,
    ),
  })
}

/** A page with the way there, by an administrator's `link` where there is one: browsers hold a redirect after a form to the policy of the page that had the form. */
export async function goThere(
  deps: IdentityDependencies,
  reply: FastifyReply,
  { user, browser }: Person,
  { provider, link }: { provider: Provider; link?: string },
): Promise<FastifyReply> {
  const { label, issuer, name } = provider.settings
  const { userId } = user
  if (link === undefined) await checkOwnLink(deps.users, deps.store.reader, userId, { issuer, provider: name })
  const to = await startLogin(deps, browser, provider, { kind: 'link', userId, link }).catch((error: unknown) => {
    throw refusedLogin(error, { label, links: [{ href: path, text: ({ ways }) => ways.provider.backToProviders }] })
  })
  const { provider: texts } = textsOf(reply.request).account
  const page = (
    <SettingsPage title={texts.linkTitle(label)} intro={texts.linkIntro(to.host)} user={user}>
      <div class="card">
        <a class="button" id="go-there" href={to.href}>
          {texts.goOn(displayName(label))}
        </a>
      </div>
    </SettingsPage>
  )
  return sendPage(reply, 200, page, { forms: false })
}

function LinkedProvidersPage(view: {
  user: Person['user']
  linked: readonly LinkedProvider[]
  keeper: Keeper
  providers: readonly Provider[]
  token: string
  done: DoneWord | undefined
}): VNode {
  const { user, linked, keeper, providers, token, done } = view
  const { account } = useTexts()
  const texts = account.provider
  const open = providers.filter(({ settings }) => !linked.some(({ issuer }) => issuer === settings.issuer))
  const labelOf = ({ issuer, provider }: LinkedProvider) =>
    providers.find(({ settings }) => settings.issuer === issuer)?.settings.label ?? provider
  return (
    <SettingsPage title={account.providers} intro={texts.intro} width="wide" user={user}>
      <Done done={done} />
      <div class="card">
        {linked.length === 0 ? <p id="none">{texts.none}</p> : null}
        <ul class="list" id="linked">
          {linked.map((each) => (
            <Entry
              key={each.issuer}
              token={token}
              name={labelOf(each)}
              about={texts.linked(<Time at={each.createdAt} />)}
              keeper={keeper(each)}
              id={`unlink-${each.provider}`}
              hidden={{ unlink: each.issuer }}
              kind="danger"
              verb={texts.unlink}
            />
          ))}
          {open.map(({ settings: { name, label, issuer } }) => (
            <Entry
              key={name}
              token={token}
              name={label}
              about={displayName(issuer, 254)}
              keeper={keeper({ issuer, provider: name })}
              id={`link-${name}`}
              hidden={{ link: name }}
              kind="plain"
              verb={texts.link}
            />
          ))}
        </ul>
      </div>
    </SettingsPage>
  )
}

function Entry(entry: {
  id: string
  name: string
  about: ComponentChildren
  /** The tenant that has the say about it. */
  keeper: string | undefined
  token: string
  hidden: Record<string, string>
  kind: string
  verb: string
}): VNode {
  const { id, name, about, keeper, token, hidden, kind, verb } = entry
  const { kept } = useTexts().account.provider
  if (keeper !== undefined) {
    return (
      <ListItem
        name={displayName(name)}
        about={
          <>
            {about}
            <br />
            <span id={`${id}-kept`}>{kept(displayName(keeper))}</span>
          </>
        }
      />
    )
  }
  return (
    <ListItem name={displayName(name)} about={about}>
      <Form id={`${id}-form`} action={path} token={token} hidden={hidden}>
        <button id={id} type="submit" class={`${kind} small`} aria-label={`${verb}: ${displayName(name)}`}>
          {verb}
        </button>
      </Form>
    </ListItem>
  )
}
