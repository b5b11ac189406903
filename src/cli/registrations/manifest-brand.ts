// What a manifest wants an application to say of itself, with its logo read, and what it says now.

import { dirname, resolve } from 'node:path'
import type { ApplicationManifest } from '../../config/schema/manifest.js'
import { checkedBrand, type WantedBrand } from '../../management/registrations/brand-plan.js'
import type { Found } from '../../management/registrations/find.js'
import type { ManagementCalls } from '../calls/management-calls.js'
import { pictureIn } from '../commands/brands/picture-file.js'

/** Nothing where the manifest says nothing of it. A logo lies beside the manifest. Throws CommandFailure, RegistrationProblem. */
export async function brandOf(
  { name, brand }: ApplicationManifest,
  { file, cwd }: { file: string; cwd: string },
): Promise<{ brand?: WantedBrand }> {
  if (brand === undefined) return {}
  const folder = file === '-' ? cwd : dirname(resolve(cwd, file))
  const logo = brand.logo ? { logo: await pictureIn({ cwd: folder }, brand.logo) } : {}
  return { brand: checkedBrand({ ...brand, ...logo }, name) }
}

/** The registration with what it says of itself, where that is compared. */
export async function withBrand(
  found: Found | undefined,
  { brand }: { brand?: WantedBrand },
  calls: Pick<ManagementCalls, 'readBrand'>,
): Promise<Found | undefined> {
  if (found === undefined || brand === undefined) return found
  return { ...found, brand: await calls.readBrand(found.application.applicationId) }
}
