import { setImmediate } from 'node:timers/promises'

/**
 * Lets the event loop serve other requests. Use it between two steps that take tens of milliseconds for the largest
 * input, such as the check of a structure and its storage.
 */
export const nextTurn = (): Promise<void> => setImmediate()
