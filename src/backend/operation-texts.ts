// What the bundled resource service takes and answers, as the document of the API says it (decision 0063). The gate's
// configuration says which of it is served.

import { Type } from 'typebox'
import type { MoreOnOperation, OperationGroup } from '../http/described-operations.js'
import { ProfilePatch } from './me.js'
import { StateMove } from './subscriptions/move.js'
import { SubscriptionName } from './subscriptions/name.js'

const strict = { additionalProperties: false }
const json = (schema: object) => ({ type: 'application/json', schema })

const profile = Type.Object(
  {
    id: Type.String(),
    publicName: Type.String(),
    idProvider: Type.String(),
    email: Type.String(),
    coverURL: Type.String(),
    avatarURL: Type.String(),
    followsCount: Type.Integer(),
    followersCount: Type.Integer(),
    enrollmentsCount: Type.Integer(),
    socialProfileID: Type.String(),
    cartID: Type.String(),
    walletID: Type.String(),
    currencyID: Type.String(),
    currencyISO: Type.String(),
    currencyExchange: Type.Number(),
  },
  strict,
)
const subscription = Type.Object(
  { id: Type.String(), subscriptionId: Type.String(), displayName: Type.String(), state: StateMove.properties.state },
  strict,
)
const group = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    location: Type.String(),
    properties: Type.Object({ provisioningState: Type.String() }, strict),
  },
  strict,
)
const subscriptions = Type.Array(subscription)
const groups = Type.Array(group)

const answers = (schema: object, status = 200): Pick<MoreOnOperation, 'answers'> => ({
  answers: { [status]: { description: status === 201 ? 'Created' : 'OK', schema } },
})
const list = { $top: '1 to 200; 100 when absent.', $skiptoken: 'Where the page before ended.' }
const changes = { refusals: [409, 412] } as const

/** The operations, by method and path. */
export const backendOperations: OperationGroup = {
  tag: 'Resources',
  description: 'The bundled resource service, behind the gate.',
  family: 'api',
  security: [],
  operations: {
    'GET /api/v2/me': ['readProfile', 'Reads the profile of the person, or of the tenant', answers(profile)],
    'PATCH /api/v2/me': ['changeProfile', 'Changes the profile', { ...answers(profile), body: json(ProfilePatch) }],
    'GET /api/v2/subscriptions': [
      'listSubscriptions',
      'Lists subscriptions; Link leads to the next page',
      {
        ...answers(subscriptions),
        query: { ...list, $filter: "Such as state eq 'Enabled'.", $orderby: 'Such as displayName desc.' },
      },
    ],
    'POST /api/v2/subscriptions': [
      'createSubscription',
      'Makes a subscription with its resource group',
      { ...answers(subscription, 201), refusals: [409], body: json(SubscriptionName) },
    ],
    'GET /api/v2/subscriptions/{id}': [
      'readSubscription',
      'Reads a subscription',
      { ...answers(subscription), tagged: true },
    ],
    'PUT /api/v2/subscriptions/{id}': [
      'renameSubscription',
      'Renames a subscription; the answer is its resource group',
      { ...answers(group), ...changes, body: json(SubscriptionName) },
    ],
    'DELETE /api/v2/subscriptions/{id}': [
      'deleteSubscription',
      'Deletes a subscription with its resource group',
      changes,
    ],
    'POST /api/v2/subscriptions/{id}/state': [
      'moveSubscription',
      'Moves a subscription to another state',
      { ...answers(subscription), ...changes, body: json(StateMove) },
    ],
    'GET /api/v2/resourceGroups': ['listResourceGroups', 'Lists resource groups', { ...answers(groups), query: list }],
    'GET /api/v2/resourceGroups/{id}': [
      'readResourceGroup',
      'Reads a resource group',
      { ...answers(group), tagged: true },
    ],
  },
}
