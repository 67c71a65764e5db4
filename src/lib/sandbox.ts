import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Mutex, Semaphore, withTimeout } from 'async-mutex'

/** Why a task of a {@link Sandbox} has no result. */
export type SandboxErrorReason = 'queue_full' | 'caller_busy' | 'timeout' | 'memory'

/** A task was not run, because too many tasks are waiting, or it was stopped at a limit. */
export class SandboxError extends Error {
  override name = 'SandboxError'
  readonly reason: SandboxErrorReason

  constructor(reason: SandboxErrorReason) {
    super(`The task has no result: ${reason}.`)
    this.reason = reason
  }
}

/**
 * Runs tasks in separate processes with limits of time and memory. A thread is not enough: if a thread of Node.js
 * reaches the limit of its heap, it usually ends the whole server.
 */
export interface Sandbox {
  /**
   * Runs a task.
   * @param name a function that the module of the sandbox exports
   * @param input its argument; it is copied, as is the result
   * @param caller tasks of the same caller run one after the other, and only a few of them can wait
   * @throws {SandboxError}; an error of the task as a copy, without its class
   */
  run(name: string, input: unknown, caller?: string): Promise<unknown>
  close(): Promise<void>
}

export interface SandboxOptions {
  /** The module with the tasks. */
  tasks: URL
  /** Additional arguments of the processes. */
  args: readonly string[]
  processes: number
  /** Maximum number of tasks that wait for a process. */
  maxWaiting: number
  /** Maximum duration of a task, without the wait. */
  timeoutMs: number
  /** Maximum size of the JavaScript heap. */
  maxHeapMegabytes: number
}

/** Idle time after which a process ends. Starting it again takes half a second. */
const IDLE_TIMEOUT_MS = 60_000
/** Maximum time in which a process loads its module. */
const MAX_START_MS = 60_000
const MAX_WAIT_MS = 30_000
/** Maximum number of tasks of one caller, with the one that runs. */
const MAX_TASKS_PER_CALLER = 4

interface Place {
  process: ChildProcess | undefined
  idleTimer: NodeJS.Timeout | undefined
}

/** Creates a sandbox. Its processes start with the first tasks. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { processes, maxWaiting, timeoutMs } = options
  const places = Array.from({ length: processes }, (): Place => ({ process: undefined, idleTimer: undefined }))
  const free = [...places]
  const semaphore = withTimeout(new Semaphore(processes), MAX_WAIT_MS, new SandboxError('queue_full'))
  const callers = new Map<string, { mutex: Mutex; tasks: number }>()
  let pending = 0

  async function runOnPlace(name: string, input: unknown): Promise<unknown> {
    if (pending >= processes + maxWaiting) throw new SandboxError('queue_full')
    pending += 1
    try {
      return await semaphore.runExclusive(async () => {
        const place = free.pop()!
        try {
          return await runIn(place, name, input)
        } finally {
          free.push(place)
        }
      })
    } finally {
      pending -= 1
    }
  }

  async function runIn(place: Place, name: string, input: unknown): Promise<unknown> {
    clearTimeout(place.idleTimer)
    if (!place.process) {
      start(place, options)
      await settle(place, MAX_START_MS)
    }
    place.process!.send({ name, input })
    const reply = await settle(place, timeoutMs)
    place.idleTimer = setTimeout(() => end(place), IDLE_TIMEOUT_MS).unref()
    if ('error' in reply) throw reply.error
    return reply.value
  }

  return {
    run: async (name, input, caller) => {
      if (caller === undefined) return runOnPlace(name, input)
      const own = callers.get(caller) ?? { mutex: new Mutex(), tasks: 0 }
      if (own.tasks >= MAX_TASKS_PER_CALLER) throw new SandboxError('caller_busy')
      callers.set(caller, own)
      own.tasks += 1
      try {
        return await own.mutex.runExclusive(() => runOnPlace(name, input))
      } finally {
        own.tasks -= 1
        if (own.tasks === 0) callers.delete(caller)
      }
    },
    close: async () => {
      for (const place of places) end(place)
    },
  }
}

/** Starts a process without the environment of the server, which contains secrets. */
function start(place: Place, { tasks, args, maxHeapMegabytes }: SandboxOptions): void {
  const process = fork(fileURLToPath(new URL('./sandbox-program.ts', import.meta.url)), [tasks.href, ...args], {
    env: {},
    execArgv: [`--max-old-space-size=${maxHeapMegabytes}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // An idle process can end too, for example if the operating system needs its memory.
  process
    .on('error', () => undefined)
    .once('exit', () => {
      if (place.process === process) place.process = undefined
    })
  place.process = process
}

type Reply = { error: unknown } | { value: unknown }

/**
 * Returns the next message of a process. If the process ends, or does not reply in time, it is removed from its place.
 * @throws {SandboxError} `timeout`, `memory`; Error if the process ends for another reason
 */
function settle(place: Place, timeoutMs: number): Promise<Reply> {
  const process = place.process!
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const timer = setTimeout(() => reject(new SandboxError('timeout')), timeoutMs)
  const fail = (error: Error) => reject(error)
  // Node.js aborts at the limit of the heap; the operating system kills a process if it needs too much memory.
  const exit = (code: number | null, signal: NodeJS.Signals | null) =>
    reject(
      signal === 'SIGABRT' || signal === 'SIGKILL'
        ? new SandboxError('memory')
        : new Error(`The process of a task ended with ${signal ?? code}.`),
    )
  process.once('message', resolve).once('error', fail).once('exit', exit)
  return promise
    .catch((error) => {
      end(place)
      throw error
    })
    .finally(() => {
      clearTimeout(timer)
      process.off('message', resolve).off('error', fail).off('exit', exit)
    })
}

function end(place: Place): void {
  clearTimeout(place.idleTimer)
  // The process can be in an endless loop.
  place.process?.kill('SIGKILL')
  place.process = undefined
}
