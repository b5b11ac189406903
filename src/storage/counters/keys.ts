// The keys of the Counters, all of them. A value in a key stands behind a letter and its length, so no two subjects
// give the same key, whatever characters they are made of.
//
// | key                                                    | holds                                   | lives              |
// |--------------------------------------------------------|-----------------------------------------|--------------------|
// | limit:<length>:<policy>;<letter><length>:<value>…      | requests of one subject under a policy; | until nothing of   |
// |                                                        | letters a address, p application,       | it counts any more |
// |                                                        | t tenant, u user, r route               |                    |
// | guard;a<length>:<address>                              | requests of an address before sign-in   | the same           |
// | guard-connections;a<length>:<address>                  | connections that an address began       | the same           |
// | forged;<address>, forged-network;<network>             | wrong signatures of an address, a /48   | the same           |
// | failures;a<length>:<address>;c<length>:<client>        | wrong secrets; a long client identifier | the same           |
// |                                                        | as h<SHA-256>                           |                    |
// | sign-in-pair;h<SHA-256 of the account>;a<length>:<address> | failed sign-ins of an account from one | the same         |
// | sign-in-account;h…;, sign-in-codes;h…;,                | wrong passwords and codes of an account | the same           |
// | sign-in-device;h…;<id of a known browser>              | from unknown and from known browsers,   |                    |
// | sign-in-address;…, sign-in-network;…, sign-in-free;…,  | of an address, a /48; free attempts,    |                    |
// | sign-in-overall;, sign-in-told;s<length>:<user>        | attempts of everybody, mails a day      |                    |
// | claim-<length>:<policy>;a…;p…                          | what names an application, by address   | the same           |
// | user-code-<of>;s<length>:<subject>                     | tries of user codes                     | the same           |
// | once-<purpose>;s<length>:<subject>                     | proofs of a subject that work once      | the same           |
//
// limits/ makes them, and identity/client/single-use.ts for what works once. Nothing in a key is a secret: what is one
// (a token, a code) is digested by the caller first.
//
// In Redis they have a prefix of the operator's (`portcullis`), so that several gateways can share a server:
//
// | key                                  | holds                                          | lives                             |
// |--------------------------------------|------------------------------------------------|-----------------------------------|
// | {<prefix>}:<a key of limit, guard,   | a meter as MessagePack: rate `r`, limit, period| until nothing of it counts, and a |
// | failures>                            | ms, burst, level, µs; quota `q`, limit, period | second more                       |
// |                                      | ms, birth µs, slot, units, slot, units …       |                                   |
// | {<prefix>}:clock                     | the latest µs seen, and by how much the clock  | 400 days after the last decision  |
// |                                      | of the server is behind that                   |                                   |
//
// The braces are a Cluster's hash tag: a request is decided on all its buckets in one script, and a script's keys must
// be in one slot. So all counters of a prefix are on one master of a Cluster.

/**
 * What a key belongs to: its purpose, with the policy's name for a limit. Keys of one family share one allowance of
 * memory, so that spraying one kind of key takes no room from the others.
 */
export function familyOf(key: string): string {
  const named = /^limit:(\d{1,4}):/.exec(key)
  if (named !== null) return key.slice(0, named[0].length + Number(named[1]))
  const end = key.indexOf(';')
  return end === -1 ? '' : key.slice(0, end)
}

/** A counter's key in Redis. */
export function counterKey(prefix: string, key: string): string {
  return `{${prefix}}:${key}`
}
