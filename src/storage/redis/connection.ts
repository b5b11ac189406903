// One connection to Redis that never makes a request wait for long: a command has one deadline, and after a deadline or
// a lost connection all further commands fail at once, until a probe in the background has had an answer (F2).

import { settledOr, within } from './deadline.js'
import { Probe } from './probe.js'
import type { RedisClient, SentinelAccess } from './redis-client.js'
import { createRedisClient } from './redis-client.js'
import { RedisRefused, RedisUnavailable, unavailable } from './redis-errors.js'
import { parseRedisUrl } from './redis-url.js'

export interface RedisOptions {
  /** See redis-url.ts. */
  url: string
  /** PEM of the authorities that TLS trusts; absent: those of the runtime. */
  ca?: string
  /** How Sentinels are spoken to; absent: as Redis is. */
  sentinel?: SentinelAccess
  /** Begins every key; letters, digits, `.`, `_`, `-`. Gateways that share a Redis and not their data differ in it. */
  prefix: string
  commandMs: number
  connectMs: number
}

/** `stream` is for commands that block: they have no deadline, and who uses it watches over them. */
export type RedisUse = 'counters' | 'publish' | 'stream'

export interface RedisState {
  up: boolean
  /** Monotonic milliseconds of the last change. */
  sinceMs: number
  /** Why it is down, safe to log; empty when up. */
  reason: string
}

export interface RedisConnection {
  readonly prefix: string
  readonly isUp: boolean
  readonly state: RedisState
  /**
   * Sends what `command` sends and resolves with its answer, at the latest after `commandMs` (`stream`: when it comes).
   * A command that meets a replica, or a primary that lost its replicas, is sent once more to the server that is the
   * primary then (F5). Rejects with
   * RedisUnavailable; whether the command had an effect is then unknown.
   */
  run<T>(command: (client: RedisClient) => Promise<T>): Promise<T>
  /** Drops the connection and makes a new one; what is pending rejects. */
  reconnect(): void
  close(): Promise<void>
}

export interface RedisHooks {
  /** Called on each change between up and down, first with the state after the first attempt. */
  onState?: (state: RedisState) => void
  /** Milliseconds of a clock that never goes back. */
  monotonic?: () => number
}

/**
 * Connects and checks the server (server-check.ts). Resolves also when Redis cannot be reached: then the state is down
 * until it can. Throws RedisRefused when Redis answers and must not be used, and Error for a wrong URL or prefix.
 */
export async function openRedis(
  options: RedisOptions,
  use: RedisUse,
  hooks: RedisHooks = {},
): Promise<RedisConnection> {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(options.prefix)) throw new Error('a Redis prefix is 1 to 64 of A-Z a-z 0-9 . _ -')
  const link = new RedisLink(options, use, hooks)
  await link.open()
  return link
}

class RedisLink implements RedisConnection {
  readonly prefix: string
  state: RedisState
  readonly #client: RedisClient
  readonly #options: RedisOptions
  readonly #use: RedisUse
  readonly #onState: (state: RedisState) => void
  readonly #monotonic: () => number
  /** Counts the connections that came to be, so that an answer of an old one does not end a new one. */
  #generation = 0
  #isClosed = false
  readonly #probe: Probe
  #handshakeTimer: NodeJS.Timeout | undefined
  #waiting: (() => void)[] = []

  constructor(options: RedisOptions, use: RedisUse, hooks: RedisHooks) {
    this.prefix = options.prefix
    this.#options = options
    this.#use = use
    this.#monotonic = hooks.monotonic ?? (() => performance.now())
    this.#onState = hooks.onState ?? (() => undefined)
    this.state = { up: false, sinceMs: this.#monotonic(), reason: 'not connected yet' }
    const times = { commandMs: use === 'stream' ? undefined : options.commandMs, connectMs: options.connectMs }
    const client = createRedisClient(parseRedisUrl(options.url), times, {
      ca: options.ca,
      sentinel: options.sentinel,
      name: `${options.prefix}-${use}`,
    })
    this.#client = client
    this.#probe = new Probe(client, {
      clockKey: `{${options.prefix}}:clock`,
      answerMs: options.commandMs,
      isNeeded: () => !this.state.up && !this.#isClosed,
      onAnswer: () => this.#rise(),
      onFailure: (reason) => this.#lose(reason),
      reconnect: () => this.reconnect(),
    })
    client.on('error', (error) => this.#lose(unavailable(error).message))
    client.on('connect', () => this.#expectReady())
    client.on('ready', () => this.#greet())
    client.on('close', () => this.#lose(this.state.up ? new RedisUnavailable('CLOSED').message : this.state.reason))
    if (client.isCluster) client.on('node error', () => undefined)
  }

  get isUp(): boolean {
    return this.state.up
  }

  async open(): Promise<void> {
    const { connectMs, commandMs } = this.#options
    await settledOr(this.#client.connect(), connectMs)
    if (this.#client.status === 'ready') {
      try {
        await within(this.#probe.check(), commandMs + connectMs)
        this.#rise()
        return
      } catch (error) {
        if (error instanceof RedisRefused) {
          await this.close()
          throw error
        }
        this.state = { ...this.state, reason: unavailable(error).message }
      }
    }
    this.#onState(this.state)
    this.#probe.soon()
  }

  async run<T>(command: (client: RedisClient) => Promise<T>): Promise<T> {
    if (!this.state.up) throw new RedisUnavailable('CLOSED')
    if (this.#use === 'stream') return this.#attempt(command)
    const until = this.#monotonic() + this.#options.commandMs
    const generation = this.#generation
    try {
      return await within(this.#attempt(command), this.#options.commandMs)
    } catch (error) {
      const failure = unavailable(error)
      if (isElsewhere(failure.reason)) return this.#again(command, generation, until)
      if (concernsAll(failure.reason)) this.#lose(failure.message)
      throw failure
    }
  }

  reconnect(): void {
    this.#probe.forget()
    this.#lose(new RedisUnavailable('CLOSED').message)
    if (!this.#isClosed && this.#client.status !== 'connecting') this.#client.disconnect(true)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#probe.stop()
    clearTimeout(this.#handshakeTimer)
    this.#lose('closed')
    this.#client.disconnect()
  }

  async #attempt<T>(command: (client: RedisClient) => Promise<T>): Promise<T> {
    try {
      return await command(this.#client)
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** After READONLY or NOREPLICAS: a new connection, and the command once more, within the deadline that it had. */
  async #again<T>(command: (client: RedisClient) => Promise<T>, generation: number, until: number): Promise<T> {
    if (generation === this.#generation && this.state.up) {
      this.reconnect()
      this.#lose(new RedisUnavailable('READONLY').message)
    }
    await settledOr(this.#risen(), Math.max(1, until - this.#monotonic()))
    if (!this.state.up) throw new RedisUnavailable('READONLY')
    try {
      return await within(this.#attempt(command), Math.max(1, until - this.#monotonic()))
    } catch (error) {
      const failure = unavailable(error)
      if (concernsAll(failure.reason)) this.#lose(failure.message)
      throw failure
    }
  }

  /** A connection is there and the server has not said a word: under SIGSTOP it never will. */
  #expectReady(): void {
    clearTimeout(this.#handshakeTimer)
    this.#handshakeTimer = setTimeout(() => {
      if (this.#client.status === 'connect') this.#client.disconnect(true)
    }, this.#options.connectMs)
    this.#handshakeTimer.unref()
  }

  #greet(): void {
    clearTimeout(this.#handshakeTimer)
    this.#generation += 1
    this.#probe.expectAnother()
    // The very first one is greeted by open(), which may refuse it.
    if (this.#generation > 1) this.#probe.now()
  }

  #lose(reason: string): void {
    const wasUp = this.state.up
    if (wasUp) this.state = { up: false, sinceMs: this.#monotonic(), reason }
    else this.state.reason = reason
    if (this.#isClosed) return
    if (wasUp) this.#onState(this.state)
    this.#probe.soon()
  }

  #rise(): void {
    this.#probe.forget()
    if (!this.state.up) {
      this.state = { up: true, sinceMs: this.#monotonic(), reason: '' }
      this.#onState(this.state)
    }
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #risen(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

/** The server did not do it, and another may be the primary by now: one that was demoted, or cut off from the others. */
function isElsewhere(reason: string): boolean {
  return reason === 'READONLY' || reason === 'NOREPLICAS'
}

/** True when the failure is the server's or the connection's, not this command's: then no other command is tried. */
function concernsAll(reason: string): boolean {
  return !['OOM', 'NOPERM', 'WRONGTYPE', 'ERR', 'MISCONF', 'BUSY', 'EXECABORT', 'NOSCRIPT', 'an error reply'].includes(
    reason,
  )
}
