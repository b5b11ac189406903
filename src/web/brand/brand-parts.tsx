// How a page shows its brand: at its head the logo and the name, at its foot the links, and whose server it is.

import type { VNode } from 'preact'
import { useTexts } from '../language/texts.js'
import { displayName } from '../pages/display-name.js'
import { Mark } from './mark.js'
import { type PageBrand, useBrand } from './page-brand.js'

/** Logo and name; the mark of the server where it has no logo. */
export function BrandHead({ brand }: { brand: PageBrand }): VNode {
  return (
    <>
      <Logo brand={brand} />
      <span>{displayName(brand.name)}</span>
    </>
  )
}

function Logo({ brand: { logo, logoDark, server } }: { brand: PageBrand }): VNode | null {
  const any = logo ?? logoDark
  if (any === undefined) return server === undefined ? <Mark /> : null
  return (
    <picture>
      {logoDark === undefined ? null : <source media="(prefers-color-scheme: dark)" srcset={logoDark.path} />}
      <img class="logo" src={any.path} width={any.width} height={any.height} alt="" />
    </picture>
  )
}

/** Nothing for a server that says nothing of itself. */
export function BrandFoot(): VNode | null {
  const brand = useBrand()
  const { frame } = useTexts()
  const { terms, privacy, support, server } = brand
  const links = [
    ['terms', terms, frame.terms],
    ['privacy', privacy, frame.privacy],
    ['support', support, frame.support],
  ] as const
  const said = links.flatMap(([id, href, text]) => (href === undefined ? [] : [{ id, href, text }]))
  if (said.length === 0 && server === undefined) return null
  return (
    <section class="branded-foot" aria-label={displayName(brand.name)}>
      {said.length === 0 ? null : (
        <p id="brand-links">
          {said.map(({ id, href, text }) => (
            <a key={id} id={`brand-${id}`} href={href} rel="noopener noreferrer nofollow">
              {text}
            </a>
          ))}
        </p>
      )}
      {server === undefined ? null : (
        <p id="of-server">{frame.pageOf(<bdi>{displayName(server.name)}</bdi>, <bdi>{server.host}</bdi>)}</p>
      )}
    </section>
  )
}
