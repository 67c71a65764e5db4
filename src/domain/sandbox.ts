import { createSandbox, type Sandbox, SandboxError, type SandboxOptions } from '../lib/sandbox.ts'
import type { Context } from './context.ts'
import { problems } from './problem.ts'
import type * as tasks from './sandbox-tasks/tasks.ts'

type Tasks = typeof tasks

/** The largest accepted file takes some seconds. Such files are rare, so two processes are enough. */
const DEFAULTS: SandboxOptions = {
  tasks: new URL('./sandbox-tasks/tasks.ts', import.meta.url),
  args: [],
  processes: 2,
  maxWaiting: 20,
  timeoutMs: 10_000,
  maxHeapMegabytes: 256,
}

/** Creates the sandbox for tasks whose duration a stranger or a small account can influence. */
export const createTaskSandbox = (options: Partial<SandboxOptions> = {}): Sandbox =>
  createSandbox({ ...DEFAULTS, ...options })

/**
 * Runs a task of `sandbox-tasks/tasks.ts` in a separate process, with limits of time and memory. The tasks of an account
 * run one after the other.
 * @param input is copied, as is the result
 * @throws {Problem} `too_many_requests` if the account has several waiting tasks, `unavailable` if all accounts have too
 * many
 * @throws {SandboxError} `timeout` or `memory`; the caller knows which member of the request is too large
 */
export async function runInSandbox<Name extends keyof Tasks>(
  { services, actor }: Context,
  name: Name,
  input: Parameters<Tasks[Name]>[0],
): Promise<Awaited<ReturnType<Tasks[Name]>>> {
  try {
    return (await services.sandbox.run(name, input, String(actor.id))) as Awaited<ReturnType<Tasks[Name]>>
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    if (error.reason === 'caller_busy')
      throw problems.tooManyRequests('Several files of your account are being read.', 5)
    throw error.reason === 'queue_full' ? problems.overloaded() : error
  }
}
