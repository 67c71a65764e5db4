// A Jest runner that loads each module once a process. Jest's own runner loads all modules again for each suite, in a
// new virtual machine context, which took two thirds of the processor time of a run.
import { type ChildProcess, fork } from 'node:child_process'
import type { TestResult } from '@jest/test-result'
import type { Config } from '@jest/types'
import {
  CallbackTestRunner,
  type OnTestFailure,
  type OnTestStart,
  type OnTestSuccess,
  type Test,
  type TestRunnerContext,
} from 'jest-runner'
import type { TestWatcher } from 'jest-watcher'
import { shuffle } from '../../src/domain/structure/randomize.ts'
import { startPosition } from './suites.ts'

/** What a worker reports while it runs a suite. */
export type Message =
  | { type: 'step'; name: string; timeoutMs: number }
  | { type: 'result'; result: TestResult; memoryBytes: number }
  | { type: 'error'; message: string; stack: string }

/** How much longer than its timeout a step may block the process before the worker is killed. */
const WATCHDOG_MARGIN_MS = Number(process.env.TEST_WATCHDOG_MS ?? 30_000)

interface Worker {
  process: ChildProcess
  memoryBytes: number
}

/** Runs suites in `maxWorkers` child processes. A worker that hangs or dies fails its suite, and is replaced. */
export default class Runner extends CallbackTestRunner {
  readonly #globalConfig: Config.GlobalConfig

  constructor(globalConfig: Config.GlobalConfig, context: TestRunnerContext) {
    super(globalConfig, context)
    this.#globalConfig = globalConfig
  }

  override async runTests(
    tests: Test[],
    watcher: TestWatcher,
    onStart: OnTestStart,
    onResult: OnTestSuccess,
    onFailure: OnTestFailure,
  ): Promise<void> {
    const queue = ordered(tests)
    const runQueue = async (slot: number) => {
      let worker: Worker | undefined
      for (let test = queue.shift(); test && !watcher.isInterrupted(); test = queue.shift()) {
        await onStart(test)
        const { config } = test.context
        worker ??= { process: this.#fork(slot, config), memoryBytes: 0 }
        try {
          await onResult(test, await runSuite(worker, test))
        } catch (error) {
          await onFailure(test, error as Parameters<OnTestFailure>[1])
          worker.process.kill('SIGKILL')
          worker = undefined
        }
        const limit = this.#globalConfig.workerIdleMemoryLimit
        if (worker && limit && worker.memoryBytes > limit) {
          await end(worker.process)
          worker = undefined
        }
      }
      if (worker) await end(worker.process)
    }
    await Promise.all(Array.from({ length: this.#globalConfig.maxWorkers }, (_, slot) => runQueue(slot + 1)))
  }

  #fork(slot: number, config: Config.ProjectConfig): ChildProcess {
    const child = fork(new URL('worker.ts', import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning', ...(process.env.TEST_NODE_OPTIONS?.split(' ') ?? [])],
      env: { ...process.env, JEST_WORKER_ID: String(slot) },
      serialization: 'advanced',
    })
    child.send({ globalConfig: this.#globalConfig, config })
    return child
  }
}

/** Returns suites with the longest first, or with TEST_ORDER in the random order of that seed. */
const ordered = (tests: readonly Test[]): Test[] =>
  process.env.TEST_ORDER
    ? shuffle(tests, process.env.TEST_ORDER)
    : tests.toSorted((one, other) => startPosition(one.path) - startPosition(other.path))

/** Closes a worker, which then has no more suites, and waits for its end. */
async function end(worker: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => worker.once('exit', resolve))
  worker.disconnect()
  const timer = setTimeout(() => worker.kill('SIGKILL'), 5_000)
  await exited
  clearTimeout(timer)
}

/**
 * Runs a suite in a worker.
 * @throws {SerializableError} if the suite cannot be loaded, or if the worker hangs or dies
 */
function runSuite(worker: Worker, test: Test): Promise<TestResult> {
  const { process: child } = worker
  return new Promise((resolve, reject) => {
    let step = 'loading the file'
    let watchdog: NodeJS.Timeout
    const fail = (message: string, stack = '') => {
      finish()
      reject({ message, stack, code: undefined, type: 'Error' })
    }
    const watch = (timeoutMs: number) => {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => {
        child.kill('SIGKILL')
        fail(
          `The process hung for ${Math.round((timeoutMs + WATCHDOG_MARGIN_MS) / 1000)} s while ${step}, and was killed.`,
        )
      }, timeoutMs + WATCHDOG_MARGIN_MS)
    }
    const onMessage = (message: Message) => {
      if (message.type === 'step') {
        step = message.name
        watch(message.timeoutMs)
      } else if (message.type === 'error') fail(message.message, message.stack)
      else {
        finish()
        worker.memoryBytes = message.memoryBytes
        resolve(message.result)
      }
    }
    const onExit = (code: number | null, signal: string | null) =>
      fail(
        `The process ended with ${signal ?? `exit code ${code}`} while ${step}.` +
          (signal === 'SIGKILL' ? ' If the machine is out of memory, use --maxWorkers=1.' : ''),
      )
    const finish = () => {
      clearTimeout(watchdog)
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    child.on('message', onMessage)
    child.on('exit', onExit)
    watch(test.context.config.testTimeout)
    child.send({ path: test.path })
  })
}
