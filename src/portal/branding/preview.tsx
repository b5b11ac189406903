// Pictures of the pages that wear a brand, in light and dark beside each other. They are made of the same styles as the
// pages, and nothing on them can be pressed.

import type { ComponentChildren, VNode } from 'preact'
import type { Theme } from '../../branding/palette.js'
import { Mark } from '../../web/brand/mark.js'
import type { PageBrand } from '../../web/brand/page-brand.js'
import { useTexts } from '../../web/language/texts.js'
import { displayName } from '../../web/pages/display-name.js'

const themes = ['light', 'dark'] as const

/** Sign-in and consent as people see them. */
export function Previews({ brand }: { brand: PageBrand }): VNode {
  return (
    <section class="card" aria-labelledby="preview-title" id="preview">
      <h2 id="preview-title">What people see</h2>
      <div class="looks">
        {themes.map((theme) => (
          <Look key={theme} id={`sign-in-${theme}`} title={`Sign-in, on a ${theme} page`} theme={theme} brand={brand}>
            <SignIn />
          </Look>
        ))}
        {themes.map((theme) => (
          <Look key={theme} id={`consent-${theme}`} title={`Consent, on a ${theme} page`} theme={theme} brand={brand}>
            <Consent />
          </Look>
        ))}
      </div>
    </section>
  )
}

/** One page, in one theme, around what it is about. */
export function Look({
  id,
  title,
  theme,
  brand,
  children,
}: {
  id: string
  title: string
  theme: Theme
  brand: PageBrand
  children: ComponentChildren
}): VNode {
  return (
    <figure class="look-of">
      <div class={`look in-${theme} branded`} id={`look-${id}`} role="img" aria-label={title}>
        <Head brand={brand} theme={theme} />
        {children}
        <Foot brand={brand} />
      </div>
      <figcaption aria-hidden="true">{title}</figcaption>
    </figure>
  )
}

function Head({ brand: { name, logo, logoDark, server }, theme }: { brand: PageBrand; theme: Theme }): VNode {
  const shown = theme === 'dark' ? (logoDark ?? logo) : (logo ?? logoDark)
  return (
    <span class="brand">
      {shown === undefined ? null : (
        <img class="logo" src={shown.path} width={shown.width} height={shown.height} alt="" />
      )}
      {shown === undefined && server === undefined ? <Mark /> : null}
      <span>{displayName(name)}</span>
    </span>
  )
}

function SignIn(): VNode {
  const { frame, signIn } = useTexts()
  return (
    <>
      <span class="title">{signIn.title}</span>
      <span class="card">
        <span class="label">{frame.email}</span>
        <span class="box" />
        <span class="label">{frame.password}</span>
        <span class="box" />
        <span class="button">{signIn.title}</span>
        <span class="linked">{signIn.forgot}</span>
      </span>
    </>
  )
}

function Consent(): VNode {
  const { frame, consent } = useTexts()
  return (
    <>
      <span class="title">{consent.title}</span>
      <span class="card">
        <span class="asker">
          <span class="app-mark">A</span>
          <span class="name">An application</span>
        </span>
        <span class="label">{consent.able}</span>
        <span>{consent.own.profile}</span>
        <span class="pair">
          <span class="button plain">{frame.cancel}</span>
          <span class="button plain">{consent.accept}</span>
        </span>
      </span>
    </>
  )
}

function Foot({ brand: { terms, privacy, support, server } }: { brand: PageBrand }): VNode {
  const { frame } = useTexts()
  const links = [
    [terms, frame.terms],
    [privacy, frame.privacy],
    [support, frame.support],
  ] as const
  const said = links.filter(([href]) => href !== undefined)
  return (
    <span class="foot">
      {said.map(([, text]) => (
        <span key={text}>{text}</span>
      ))}
      {server === undefined ? null : <span>{frame.pageOf(displayName(server.name), server.host)}</span>}
    </span>
  )
}
