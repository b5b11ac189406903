// What the backend does, as a table: method, path, the body it takes, and the permissions of which the assertion must
// carry one. The gate has decided already; this is the second lock, for the day when a route is configured too wide.
// The ids are those of the shipped catalogue, with the ones that cover them (decision 0031).

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ResourceSource } from './source.js'

interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** In the router's notation. */
  path: string
  /** Takes a JSON body; with `sized` its length must be announced. */
  body?: 'json' | 'sized-json'
  /** Enough for an application acting as itself. */
  app: readonly string[]
  /** Enough for an application acting for a user. */
  user: readonly string[]
}

const readSubscriptions = ['Subscription.Read.All', 'Subscription.ReadWrite.All']
const writeSubscriptions = ['Subscription.ReadWrite.All']
const manageSubscriptions = ['Subscription.Manage.All']
const readGroups = ['ResourceGroup.Read.All']

/** Every operation by name (contract §5). */
export const operations = {
  readProfile: {
    method: 'GET',
    path: '/api/v2/me',
    app: ['User.Read.All', 'User.ReadWrite.All'],
    user: ['User.Read', 'User.ReadWrite', 'User.Read.All', 'User.ReadWrite.All'],
  },
  changeProfile: {
    method: 'PATCH',
    path: '/api/v2/me',
    body: 'json',
    app: ['User.ReadWrite.All'],
    user: ['User.ReadWrite', 'User.ReadWrite.All'],
  },
  listSubscriptions: {
    method: 'GET',
    path: '/api/v2/subscriptions',
    app: readSubscriptions,
    user: readSubscriptions,
  },
  createSubscription: {
    method: 'POST',
    path: '/api/v2/subscriptions',
    body: 'json',
    app: writeSubscriptions,
    user: writeSubscriptions,
  },
  readSubscription: {
    method: 'GET',
    path: '/api/v2/subscriptions/:id',
    app: readSubscriptions,
    user: readSubscriptions,
  },
  renameSubscription: {
    method: 'PUT',
    path: '/api/v2/subscriptions/:id',
    body: 'sized-json',
    app: writeSubscriptions,
    user: writeSubscriptions,
  },
  deleteSubscription: {
    method: 'DELETE',
    path: '/api/v2/subscriptions/:id',
    app: writeSubscriptions,
    user: writeSubscriptions,
  },
  moveSubscription: {
    method: 'POST',
    path: '/api/v2/subscriptions/:id/state',
    body: 'json',
    app: manageSubscriptions,
    user: manageSubscriptions,
  },
  listResourceGroups: { method: 'GET', path: '/api/v2/resourceGroups', app: readGroups, user: readGroups },
  readResourceGroup: { method: 'GET', path: '/api/v2/resourceGroups/:id', app: readGroups, user: readGroups },
} as const satisfies Readonly<Record<string, Operation>>

export type OperationName = keyof typeof operations

/** What every operation is given. */
export interface BackendContext {
  source: ResourceSource
  /** The public origin that links and locations are built from; no trailing slash. */
  baseUrl: string
  /** 32 bytes; signs $skiptoken. The same in every instance. */
  skipTokenKey: Uint8Array
  /** Epoch milliseconds. */
  now: () => number
  /** A new GUID. */
  newId: () => string
}

/** One operation at work. Throws ApiError; index.ts has checked caller, permission and kind of body before. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
