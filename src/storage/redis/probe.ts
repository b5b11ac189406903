// The question in the background, while Redis is away: is it back, and may it be used? One at a time, at a steady pace;
// after some failures on one connection a new one is opened, because the old one may lead to a server that never
// answers.

import type { Cluster } from 'ioredis'
import { within } from './deadline.js'
import type { RedisClient } from './redis-client.js'
import { RedisRefused, unavailable } from './redis-errors.js'
import { checkServers } from './server-check.js'

export interface ProbeOptions {
  /** In a Cluster it leads to where the counters are. */
  clockKey: string
  /** How long an answer may take. */
  answerMs: number
  /** Whether there is anything to find out: the connection is down, and not closed. */
  isNeeded: () => boolean
  onAnswer: () => void
  /** With why, safe to log. */
  onFailure: (reason: string) => void
  /** Makes a new connection. */
  reconnect: () => void
}

const paceMs = 100
const failuresBeforeReconnect = 3

/** Asks whether a client's server answers. */
export class Probe {
  readonly #client: RedisClient
  readonly #options: ProbeOptions
  /**
   * Counts connections: a new one may lead to another server, which has to be looked at (server-check.ts) before it is
   * used.
   */
  #connections = 0
  /** The connection whose server was looked at. */
  #checked: number | undefined
  #isAsking = false
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(client: RedisClient, options: ProbeOptions) {
    this.#client = client
    this.#options = options
  }

  /** Looks at the server. Throws RedisRefused when it must not be used. */
  async check(): Promise<void> {
    const connection = this.#connections
    await checkServers(this.#client)
    this.#checked = connection
  }

  /** There is a new connection. */
  expectAnother(): void {
    this.#connections += 1
  }

  /** Failures so far count no more. */
  forget(): void {
    this.#failures = 0
  }

  soon(): void {
    if (this.#timer !== undefined || !this.#options.isNeeded()) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.now()
    }, paceMs)
    this.#timer.unref()
  }

  /** The library reconnects by itself, so there is nothing to ask before it has. */
  now(): void {
    if (!this.#options.isNeeded() || this.#isAsking) return
    if (this.#client.status !== 'ready') {
      this.soon()
      return
    }
    this.#isAsking = true
    within(this.#ask(), this.#options.answerMs)
      .then(this.#options.onAnswer, (error) => this.#fail(error))
      .finally(() => {
        this.#isAsking = false
      })
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  async #ask(): Promise<void> {
    if (this.#checked !== this.#connections) await this.check()
    await this.#client.exists(this.#options.clockKey)
  }

  #fail(error: unknown): void {
    if (!this.#options.isNeeded()) return
    this.#options.onFailure(error instanceof RedisRefused ? error.message : unavailable(error).message)
    this.#failures += 1
    // Of a Cluster another node may have the slot by now; the library would look every ten seconds.
    if (this.#client.isCluster) (this.#client as Cluster).refreshSlotsCache(() => undefined)
    if (this.#failures >= failuresBeforeReconnect) this.#options.reconnect()
  }
}
