// GET and PATCH /api/v2/me: the profile of the user whom the application acts for or, for an application acting as
// itself, of the tenant.

import { type Static, Type } from 'typebox'
import { ApiError } from '../http/answers/api-error.js'
import { type Caller, requireCaller } from './caller.js'
import { answerJson, readBody } from './json.js'
import type { BackendContext, Handler } from './operations.js'
import { isJpegDataUri } from './picture.js'
import { readQueryOptions } from './query/options.js'
import type { Profile, ProfileOwner } from './source.js'

/** What the specification shows for this resource, to the letter (§4.4). */
const profileContentType =
  'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8'

const pictureRule = 'a data URI of a JPEG (image/jpeg, base64) of at most 256 KiB'
const picture = Type.String({ description: pictureRule })

/** What the owner of a profile may send. */
export const ProfilePatch = Type.Object({
  // The pattern counts code points and keeps out control characters and lone surrogates, which no store keeps alike.
  publicName: Type.Optional(
    Type.String({ pattern: '^[^\\p{Cc}\\p{Cs}]{0,256}$', description: 'a text of at most 256 characters' }),
  ),
  coverURL: Type.Optional(picture),
  avatarURL: Type.Optional(picture),
  currencyID: Type.Optional(
    Type.String({ pattern: '^[A-Z]{3}\\.[A-Z]{2}$', description: 'an ISO currency and a country, such as EUR.DE' }),
  ),
})
type ProfilePatch = Static<typeof ProfilePatch>

const readOnlyFields = [
  'id',
  'idProvider',
  'email',
  'followsCount',
  'followersCount',
  'enrollmentsCount',
  'socialProfileID',
  'cartID',
  'walletID',
  'currencyISO',
  'currencyExchange',
]

/** 200 with the profile. 404: there is none for this user in this tenant. */
export function readProfile({ source }: BackendContext): Handler {
  return async (request, reply) => {
    readQueryOptions(request.url, [])
    const profile = await source.findProfile(ownerOf(requireCaller(request)))
    return answerJson(reply, 200, representation(required(profile)), profileContentType)
  }
}

/** 200 with the changed profile. 400 for read-only and unknown fields and for pictures that are none. */
export function changeProfile({ source, now }: BackendContext): Handler {
  return async (request, reply) => {
    const change = readBody(ProfilePatch, readOnlyFields, request.body)
    checkPictures(change)
    const profile = await source.changeProfile(ownerOf(requireCaller(request)), change, now())
    return answerJson(reply, 200, representation(required(profile)), profileContentType)
  }
}

function ownerOf(caller: Caller): ProfileOwner {
  return { tenantId: caller.tenantId, userId: caller.userId }
}

function required(profile: Profile | undefined): Profile {
  if (profile === undefined) throw new ApiError(404, 'ProfileNotFound', 'There is no profile for this caller.')
  return profile
}

function checkPictures(change: ProfilePatch): void {
  for (const name of ['coverURL', 'avatarURL'] as const) {
    const uri = change[name]
    if (uri === undefined || isJpegDataUri(uri)) continue
    throw new ApiError(400, 'InvalidProperty', `${name} must be ${pictureRule}.`, {
      target: name,
    })
  }
}

/**
 * The fifteen fields of the specification (§2.1), in its order. A list of what may go out, not a copy of what is there.
 */
function representation(profile: Profile) {
  return {
    id: profile.id,
    publicName: profile.publicName,
    idProvider: profile.idProvider,
    email: profile.email,
    coverURL: profile.coverURL,
    avatarURL: profile.avatarURL,
    followsCount: profile.followsCount,
    followersCount: profile.followersCount,
    enrollmentsCount: profile.enrollmentsCount,
    socialProfileID: profile.socialProfileID,
    cartID: profile.cartID,
    walletID: profile.walletID,
    currencyID: profile.currencyID,
    currencyISO: profile.currencyID.slice(0, 3),
    currencyExchange: profile.currencyExchange,
  }
}
