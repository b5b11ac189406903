// Bodies of refused requests that are read and thrown away for a moment. Each costs buffers and the collector's time,
// so there are only so many at once, of one client a quarter: hundreds of refused uploads delay nobody.

export interface DroppedBodies {
  /** Gives what ends it, once; undefined: there are as many as there may be, of this client or in all. */
  begin(client: string): (() => void) | undefined
}

/** `most`: at the same time; one client has a quarter of them, at least one. */
export function createDroppedBodies(most: number): DroppedBodies {
  const byClient = new Map<string, number>()
  const mostOfOne = Math.max(1, Math.floor(most / 4))
  let all = 0
  return {
    begin(client) {
      const own = byClient.get(client) ?? 0
      if (all >= most || own >= mostOfOne) return undefined
      all += 1
      byClient.set(client, own + 1)
      return () => {
        all -= 1
        const left = (byClient.get(client) ?? 1) - 1
        if (left === 0) byClient.delete(client)
        else byClient.set(client, left)
      }
    },
  }
}
