import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waits until a condition is true.
 *
 * @returns the time that it took, in milliseconds
 * @throws Error after the timeout
 */
export async function waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<number> {
  const start = performance.now()
  for (; !(await condition()); await pause(10))
    if (performance.now() > start + timeoutMs) throw new Error(`the condition was false for ${timeoutMs} ms`)
  return Math.round(performance.now() - start)
}
