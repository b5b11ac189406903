// The products whose exports are read.

import { convertAuth0 } from './auth0.js'
import type { Conversion, Converting } from './conversion.js'
import { convertEntra } from './entra.js'
import { convertHydra } from './hydra.js'
import { convertKeycloak } from './keycloak.js'

/** By its name on the command line and in the API. */
export const sources = ['entra', 'keycloak', 'hydra', 'auth0'] as const
export type Source = (typeof sources)[number]

const converters: Readonly<Record<Source, (document: unknown) => Converting>> = {
  entra: convertEntra,
  keycloak: convertKeycloak,
  hydra: convertHydra,
  auth0: convertAuth0,
}

/** What a parsed export says. Throws RegistrationProblem for one of another shape. */
export function convert(source: Source, document: unknown): Conversion {
  const converting = converters[source](document)
  let step = converting.next()
  while (step.done !== true) step = converting.next()
  return step.value
}

/** The same for a server, which lets others in: `next` is awaited between applications. */
export async function convertInTurns(
  source: Source,
  document: unknown,
  next: () => Promise<void>,
): Promise<Conversion> {
  const converting = converters[source](document)
  let step = converting.next()
  while (step.done !== true) {
    await next()
    step = converting.next()
  }
  return step.value
}
