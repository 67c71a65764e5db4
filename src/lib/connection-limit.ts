import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { canonicalAddress, rateLimitNetwork, SITE_FACTOR, siteNetwork } from './network.ts'

/**
 * Closes connections of a network beyond a limit. Call it before the server listens.
 * @param max number of connections of a network
 * @param report called at the first connection that is closed
 */
export function limitConnections(server: Server, max: number, report: (network: string) => void): void {
  const counts = new Map<string, number>()
  let isReported = false
  const add = (key: string, change: number): void => {
    const count = (counts.get(key) ?? 0) + change
    if (count > 0) counts.set(key, count)
    else counts.delete(key)
  }
  server.prependListener('connection', (socket: Socket) => {
    const address = canonicalAddress(socket.remoteAddress ?? '')
    if (!address) return
    const network = rateLimitNetwork(address)
    const site = siteNetwork(network)
    const isFull = (counts.get(network) ?? 0) >= max || (site && (counts.get(site) ?? 0) >= max * SITE_FACTOR)
    if (isFull) {
      if (!isReported) report(network)
      isReported = true
      socket.destroy()
      return
    }
    const keys = site ? [network, site] : [network]
    for (const key of keys) add(key, 1)
    socket.once('close', () => {
      for (const key of keys) add(key, -1)
    })
  })
}
