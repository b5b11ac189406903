// The products whose exports are read.

import type { Conversion } from './conversion.js'
import { convertEntra } from './entra.js'
import { convertHydra } from './hydra.js'
import { convertKeycloak } from './keycloak.js'

export type Source = 'entra' | 'keycloak' | 'hydra'

const converters: Readonly<Record<Source, (document: unknown) => Conversion>> = {
  entra: convertEntra,
  keycloak: convertKeycloak,
  hydra: convertHydra,
}

/** What a parsed export says. Throws RegistrationProblem for one of another shape. */
export function convert(source: Source, document: unknown): Conversion {
  return converters[source](document)
}
