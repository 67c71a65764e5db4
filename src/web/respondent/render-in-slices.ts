import { setImmediate } from 'node:timers/promises'
import type { Context as Koa } from 'koa'
import type { Part } from '../../lib/html.ts'

/** Rendering time in milliseconds after which other requests are served. */
const SLICE_MS = 20

/** Thrown if the client disconnects while a page is being rendered. */
export class ClientDisconnected extends Error {
  readonly status = 499
}

/**
 * Returns a function that returns whether the client has disconnected. The function checks the socket and not the
 * request, because Node.js destroys a request as soon as its body has been read.
 */
export const disconnectionOf =
  ({ req, res }: Koa) =>
  (): boolean =>
    res.destroyed || req.socket.destroyed

/**
 * Renders the parts of a page in sequence and serves other requests in between. Structures that were stored before
 * pages had a size limit can take seconds to render.
 * @throws {ClientDisconnected} as soon as the client has disconnected
 */
export async function renderInSlices<Item>(
  items: readonly Item[],
  draw: (item: Item) => Part,
  isGone: () => boolean,
): Promise<Part[]> {
  const parts: Part[] = []
  let sliceStart = performance.now()
  for (const item of items) {
    parts.push(draw(item))
    if (performance.now() - sliceStart < SLICE_MS) continue
    await setImmediate()
    if (isGone()) throw new ClientDisconnected()
    sliceStart = performance.now()
  }
  return parts
}
