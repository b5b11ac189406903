// The frame of every page: the head, the mark, the one column, the person who is signed in, and where to find help.

import type { ComponentChildren, VNode } from 'preact'
import { stylesheetName } from '../../branding/brand-stylesheet.js'
import { BrandFoot, BrandHead } from '../brand/brand-parts.js'
import { useBrand } from '../brand/page-brand.js'
import { LanguageLinks } from '../language/language-links.js'
import { useReading, useTexts } from '../language/texts.js'
import { pageAssets } from './assets.js'
import { displayName } from './display-name.js'

export interface PageProps {
  /** The heading, and the title of the tab. */
  title: string
  /** What the tab says instead. */
  tab?: string
  /** A line above the heading, such as the name of the application that one signs in to. */
  eyebrow?: ComponentChildren
  /** A sentence below the heading. */
  intro?: ComponentChildren
  /** `narrow` is a single card; `wide` has room for lists and tables. */
  width?: 'narrow' | 'wide'
  /** Who is signed in; shown with a way out. */
  user?: { name: string; email: string } | undefined
  /** Paths of scripts; send-page.tsx must be told as well, so that its policy allows them. */
  scripts?: readonly string[]
  /** The heading is said by something else on the page. */
  plain?: boolean | undefined
  /** What stands beside the main column, such as a navigation; the page is `wide` then. */
  sidebar?: ComponentChildren
  /** Paths of further stylesheets. */
  styles?: readonly string[]
  /** Where the mark leads. */
  home?: string
  children?: ComponentChildren
}

/** A whole document. `children` stand in the main column: cards, notices, forms. */
export function Page({
  title,
  tab = title,
  eyebrow,
  intro,
  width = 'narrow',
  user,
  scripts = [],
  plain,
  sidebar,
  styles = [],
  home = '/account',
  children,
}: PageProps): VNode {
  const { language } = useReading()
  const { frame } = useTexts()
  const brand = useBrand()
  const colours = stylesheetName(brand)
  return (
    <html lang={language} dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${displayName(tab)} · ${displayName(brand.name)}`}</title>
        <link rel="stylesheet" href={pageAssets.stylesheet.path} />
        {colours === undefined ? null : <link rel="stylesheet" href={`/brand/${colours}`} />}
        {styles.map((path) => (
          <link key={path} rel="stylesheet" href={path} />
        ))}
        <link rel="icon" type="image/svg+xml" href={pageAssets.icon.path} />
        {scripts.map((path) => (
          <script key={path} src={path} defer />
        ))}
      </head>
      <body class={width}>
        <a id="skip" href="#content">
          {frame.skip}
        </a>
        <header class="top">
          <a class="brand" href={home} id="brand">
            <BrandHead brand={brand} />
          </a>
          {user === undefined ? null : <SignedIn name={user.name} email={user.email} />}
        </header>
        {sidebar === undefined ? (
          <Main plain={plain} eyebrow={eyebrow} title={title} intro={intro}>
            {children}
          </Main>
        ) : (
          <div class="shell">
            {sidebar}
            <Main plain={plain} eyebrow={eyebrow} title={title} intro={intro}>
              {children}
            </Main>
          </div>
        )}
        <BrandFoot />
        <LanguageLinks />
      </body>
    </html>
  )
}

function Main({
  plain,
  eyebrow,
  title,
  intro,
  children,
}: Pick<PageProps, 'plain' | 'eyebrow' | 'title' | 'intro' | 'children'>) {
  return (
    <main id="content" tabIndex={-1}>
      {plain === true ? null : (
        <div class="heading">
          {eyebrow === undefined ? null : <p class="eyebrow">{eyebrow}</p>}
          <h1>{title}</h1>
          {intro === undefined ? null : <p class="intro">{intro}</p>}
        </div>
      )}
      {children}
    </main>
  )
}

function SignedIn({ name, email }: { name: string; email: string }): VNode {
  const { frame } = useTexts()
  return (
    <nav class="person" aria-label={frame.you}>
      <a id="person" href="/account">
        {displayName(name === '' ? email : name)}
      </a>
      <a id="sign-out" href="/sign-out">
        {frame.signOut}
      </a>
    </nav>
  )
}
