import { setImmediate } from 'node:timers/promises'
import type { Context as Koa } from 'koa'
import type { Part } from '../../lib/html.ts'

/** How long a page is drawn until others are served, in milliseconds. */
const SLICE_MS = 20

/** The caller hung up while a page was drawn. */
export class CallerGone extends Error {
  readonly status = 499
}

/** Tells whether the connection of a request is closed. A request that is read to its end is destroyed, and its connection is not. */
export const callerGone =
  ({ req, res }: Koa) =>
  (): boolean =>
    res.destroyed || req.socket.destroyed

/**
 * Draws the parts of a page one after the other, and lets others be served in between: a page of a survey that was stored
 * before pages were bounded may take seconds.
 * @throws {CallerGone} as soon as nobody waits for the page any more
 */
export async function renderInSlices<Item>(
  items: readonly Item[],
  draw: (item: Item) => Part,
  isGone: () => boolean,
): Promise<Part[]> {
  const parts: Part[] = []
  let since = performance.now()
  for (const item of items) {
    parts.push(draw(item))
    if (performance.now() - since < SLICE_MS) continue
    await setImmediate()
    if (isGone()) throw new CallerGone()
    since = performance.now()
  }
  return parts
}
