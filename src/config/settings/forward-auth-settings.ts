// The listener for proxies that ask before they pass a request on, as the other rooms see it.

export interface ForwardAuthSettings {
  /** A file: a Unix socket. */
  listen: { host: string; port: number } | { file: string }
  /** Addresses and CIDR blocks that may ask over the network. */
  proxies: readonly string[]
  /**
   * Further hosts (lower case, no port) that proxies answer for, and below which path the routes of each begin:
   * `/wiki`.
   */
  hosts: ReadonlyMap<string, string>
}
