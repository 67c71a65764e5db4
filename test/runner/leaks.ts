import { isDeepStrictEqual } from 'node:util'

/** How long a suite may take to close its connections after its last hook, and the next database to be cloned. */
const SETTLE_MS = Number(process.env.TEST_SETTLE_MS ?? 10_000)

/** What one suite can leave behind for the next one in the same process. */
export interface ProcessState {
  env: NodeJS.ProcessEnv
  folder: string
  /** The number of open resources that keep the process alive, by type. */
  resources: Record<string, number>
  /** The number of listeners of the process, by event. */
  listeners: Record<string, number>
}

/** Functions that tests spy on. A spy that is not restored is the value after a suite. */
const SPIED = {
  'Date.now': () => Date.now,
  fetch: () => fetch,
  setTimeout: () => setTimeout,
  'Math.random': () => Math.random,
}
const originals = Object.fromEntries(Object.entries(SPIED).map(([name, read]) => [name, read()]))

/** Returns the present state of the process. */
export function processState(): ProcessState {
  const resources: Record<string, number> = {}
  for (const type of process.getActiveResourcesInfo()) resources[type] = (resources[type] ?? 0) + 1
  const listeners = process.eventNames().map((event) => [String(event), process.listenerCount(event)])
  return {
    env: { ...process.env },
    folder: process.cwd(),
    resources,
    listeners: Object.fromEntries(listeners),
  }
}

/**
 * Waits until the resources of a suite are closed, then restores the environment and the current folder.
 * @param before the state before the suite
 * @param openMocks the number of functions that are still replaced
 * @returns a sentence for each thing that the suite left behind
 */
export async function leaksSince(before: ProcessState, openMocks: number): Promise<string[]> {
  for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline && excess(before).length > 0; )
    await new Promise((resolve) => setTimeout(resolve, 20))
  const now = processState()
  const leaks = excess(before)
  for (const [event, count] of Object.entries(now.listeners))
    if (count > (before.listeners[event] ?? 0)) leaks.push(`a listener for the process event ${event} was not removed`)
  for (const name of new Set([...Object.keys(before.env), ...Object.keys(now.env)]))
    if (before.env[name] !== now.env[name]) {
      leaks.push(`the environment variable ${name} was changed and not restored`)
      if (before.env[name] === undefined) delete process.env[name]
      else process.env[name] = before.env[name]
    }
  if (now.folder !== before.folder) {
    leaks.push('the current folder was changed and not restored')
    process.chdir(before.folder)
  }
  for (const [name, read] of Object.entries(SPIED))
    if (!isDeepStrictEqual(read(), originals[name])) leaks.push(`${name} was replaced and not restored`)
  if (openMocks > 0) leaks.push(`${openMocks} spied functions were not restored (mockRestore)`)
  return leaks
}

/** Returns a sentence for each type of resource of which more are open than before. */
function excess(before: ProcessState): string[] {
  return Object.entries(processState().resources)
    .filter(([type, count]) => type !== 'Immediate' && count > (before.resources[type] ?? 0))
    .map(([type, count]) => `${count - (before.resources[type] ?? 0)} × ${type} still open`)
}
