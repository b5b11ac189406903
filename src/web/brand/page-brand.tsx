// What a page looks like and whose it says it is (decision 125): the brand of a tenant where the page belongs to a sign-in
// there, else the server's. sendPage puts it around the page.

import { createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import type { Accents } from '../../branding/brand-stylesheet.js'
import type { BrandSettings, LogoSettings } from '../../config/brand/brand-settings.js'

/** A picture by its address. */
export interface PageLogo {
  path: string
  width: number
  height: number
}

export interface PageBrand extends Accents {
  name: string
  logo: PageLogo | undefined
  /** On dark pages, where it is another one. */
  logoDark: PageLogo | undefined
  terms: string | undefined
  privacy: string | undefined
  support: string | undefined
  /** Whose server it is, where the name above is not its own. */
  server: { name: string; host: string } | undefined
}

/** The brand of a server whose configuration says nothing. */
const plain: PageBrand = {
  name: 'Portcullis',
  accent: undefined,
  accentDark: undefined,
  logo: undefined,
  logoDark: undefined,
  terms: undefined,
  privacy: undefined,
  support: undefined,
  server: undefined,
}

const BrandContext = createContext<PageBrand>(plain)

/** Around a page that looks like this. */
export function Wearing({ brand = plain, children }: { brand: PageBrand | undefined; children: VNode }): VNode {
  return <BrandContext.Provider value={brand}>{children}</BrandContext.Provider>
}

/** The brand of the page that this part stands on. */
export function useBrand(): PageBrand {
  return useContext(BrandContext)
}

/** The server's own, as its configuration says. */
export function brandOfServer(brand: BrandSettings): PageBrand {
  return { ...brand, logo: logoOf(brand.logo), logoDark: logoOf(brand.logoDark), server: undefined }
}

function logoOf(logo: LogoSettings | undefined): PageLogo | undefined {
  return logo && { path: `/brand/${logo.name}`, width: logo.width, height: logo.height }
}
