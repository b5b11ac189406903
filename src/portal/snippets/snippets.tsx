// The first call, in every language: tabs that are radio buttons, so that they work without scripts and by keyboard.

import type { ComponentChildren, VNode } from 'preact'
import { type Application, applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { CopyBlock } from '../copy.js'
import type { PortalDependencies } from '../dependencies.js'
import { type SnippetFacts, snippetFacts } from './facts.js'
import { hasSecret, type Language } from './language.js'
import { languagesOf } from './languages.js'

/** The facts of an application as the portal knows it. */
export async function readSnippetFacts(
  { settings, authority, clientDownload }: Pick<PortalDependencies, 'settings' | 'authority' | 'clientDownload'>,
  { currentTenant }: PortalContext,
  application: Application,
): Promise<SnippetFacts> {
  const client = await clientDownload()
  return snippetFacts(application, { settings, tenantId: currentTenant.tenantId, authority, client })
}

/** The card. */
export function Snippets({ context, facts }: { context: PortalContext; facts: SnippetFacts }): VNode {
  const languages = languagesOf(facts)
  const { authority, baseUrl, call } = facts
  return (
    <section class="card" aria-labelledby="snippets">
      <h2 id="snippets">First call</h2>
      <p>
        Copy these into an empty folder. They call <code id="first-call">GET {call.slice(baseUrl.length)}</code>.
      </p>
      <div class="switch">
        <fieldset>
          <legend class="unseen">Language</legend>
          {languages.map(({ id, name }, index) => (
            <label key={id}>
              <input type="radio" name="language" id={`language-${id}`} value={id} checked={index === 0} />
              {name}
            </label>
          ))}
        </fieldset>
        {languages.map((language) => (
          <Panel key={language.id} language={language}>
            <About context={context} facts={facts} language={language} />
          </Panel>
        ))}
      </div>
      {authority === undefined ? null : (
        <p class="fine">
          This server runs in development mode and signs its own certificate. The commands fetch its certificate
          authority and check the fingerprint, <code id="fingerprint">{authority.fingerprint}</code>.{' '}
          <a href="/downloads">Downloads</a> has it too. In production these lines are not here.
        </p>
      )}
    </section>
  )
}

function Panel({ language, children }: { language: Language; children: ComponentChildren }): VNode {
  const { id, name, needs, blocks } = language
  return (
    <div class={`panel of-${id}`}>
      <p class="fine">Needs: {needs}.</p>
      {children}
      {blocks.map(({ part, name: place, text }) => (
        <CopyBlock
          key={part}
          id={part === 'program' ? `snippet-${id}` : `snippet-${id}-${part}`}
          name={part === 'program' ? `${name}: ${place}` : place}
        >
          {text}
        </CopyBlock>
      ))}
    </div>
  )
}

/** What one has to know before one copies. */
function About({
  context,
  facts,
  language,
}: {
  context: PortalContext
  facts: SnippetFacts
  language: Language
}): VNode {
  const { redirect, kind, client, applicationId } = facts
  const to = (tab: 'credentials' | 'redirect-uris') => context.link(applicationPath(applicationId, tab))
  const isElsewhere = kind !== 'server' && redirect.loopback === undefined && language.id !== 'curl'
  const isUnregistered = kind === 'native' && !redirect.isRegistered && language.id !== 'page'
  return (
    <>
      {language.id === 'page' ? <AboutPage facts={facts} /> : null}
      {hasSecret(facts) ? (
        <p class="fine">
          Put <code>portcullis.env</code> into the folder: <a href={to('credentials')}>Credentials</a> gives it to you
          with each new private key (its client secret).
        </p>
      ) : null}
      {isUnregistered ? (
        <p>
          A program on a computer comes back to <code>{redirect.uri}</code>, at any port.{' '}
          <a href={to('redirect-uris')}>Add that address</a> first: the application does not have it.
        </p>
      ) : null}
      {isElsewhere ? (
        <p>
          People come back to <code>{redirect.uri}</code>: have it forwarded to where the program listens.
        </p>
      ) : null}
      {language.id === 'node' && client !== undefined ? (
        <p class="fine">
          It uses the client library of this server. <a href="/downloads">Downloads</a> has its integrity value,{' '}
          <a href="/docs/tokens">Tokens</a> says what it does.
        </p>
      ) : null}
    </>
  )
}

function AboutPage({ facts: { page, authority } }: { facts: SnippetFacts }): VNode | null {
  if (page === undefined) return null
  return (
    <>
      <p class="fine">
        People come back to <code>{page.uri}</code>, where this file has to be.
        {authority === undefined
          ? ''
          : ' The browser has to trust this server, as it does where the portal opens in it.'}
      </p>
      {page.closed === undefined ? null : (
        <p id="page-closed">
          No page of <code>{page.origin}</code> may call <code>{page.closed}</code>, so this one calls userinfo. An
          operator of this server can allow it: <code>{`cors: { origins: ['${page.origin}'] }`}</code> at the route.
        </p>
      )}
    </>
  )
}
