// A process that runs suites one after the other (runner.ts). Modules stay loaded from one suite to the next.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { AssertionResult, TestResult } from '@jest/test-result'
import type { Circus, Config } from '@jest/types'
import type { Message } from './runner.ts'

const globals = new URL('globals.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context),
})
// Loaded after the hook, so that tests and this file share one instance.
const circus = await import('jest-circus')
const { expect, jest } = await import('./globals.ts')
const { formatExecError, formatResultsErrors } = await import('jest-message-util')
const { leaksSince, processState } = await import('./leaks.ts')

const report = (message: Message) => process.send!(message)
const { globalConfig, config } = await new Promise<{ globalConfig: Config.GlobalConfig; config: Config.ProjectConfig }>(
  (resolve) => process.once('message', (settings) => resolve(settings as never)),
)
const coverage = globalConfig.collectCoverage
  ? new (await import('collect-v8-coverage')).CoverageInstrumenter()
  : undefined

for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: Error) => {
    const { currentlyRunningTest, unhandledErrors } = circus.getState()
    if (currentlyRunningTest) currentlyRunningTest.errors.push(error)
    else unhandledErrors.push(error)
  })

circus.addEventHandler((event, state) => {
  if (event.name === 'hook_start') {
    const of = event.hook.parent.name === 'ROOT_DESCRIBE_BLOCK' ? '' : ` of "${event.hook.parent.name}"`
    step(`running ${event.hook.type}${of}`, event.hook.timeout ?? state.testTimeout)
  } else if (event.name === 'test_start') {
    expect.setState({ currentTestName: nameOf(event.test), suppressedErrors: [] })
  } else if (event.name === 'test_fn_start') {
    step(`running the test "${nameOf(event.test)}"`, event.test.timeout ?? state.testTimeout)
  } else if (event.name === 'test_done') {
    const { suppressedErrors, isExpectingAssertions } = expect.getState()
    event.test.errors.push(...suppressedErrors)
    const missing = expect.extractExpectedAssertionsErrors()
    if (!isExpectingAssertions || event.test.errors.length === 0)
      event.test.errors.push(...missing.map(({ error }) => error))
  }
})

const step = (name: string, timeoutMs: number) => report({ type: 'step', name, timeoutMs })

process.on('message', async ({ path }: { path: string }) => {
  try {
    report({ type: 'result', result: await run(path), memoryBytes: process.memoryUsage().rss })
  } catch (error) {
    const { message, stack = '' } = error as Error
    report({ type: 'error', message, stack })
  }
})
let suites = 0

async function run(testFilePath: string): Promise<TestResult> {
  const { env, folder } = processState()
  circus.resetState()
  const state = circus.getState()
  state.testTimeout = config.testTimeout
  state.maxConcurrency = globalConfig.maxConcurrency
  state.testNamePattern = globalConfig.testNamePattern ? new RegExp(globalConfig.testNamePattern, 'i') : null
  expect.setState({ testPath: testFilePath, expand: globalConfig.expand })
  await coverage?.startInstrumenting()
  const start = Date.now()
  // The query makes Node.js load a file again that --watch runs a second time.
  await import(`${pathToFileURL(testFilePath)}?${++suites}`)
  // Modules that are loaded for the first time may add globals and listeners.
  const before = { ...processState(), env, folder }
  const { testResults, unhandledErrors, unhandledErrorsDetailed } = await circus.run()
  const openMocks = jest.restoreSpies()
  const leaks = await leaksSince(before, openMocks)
  const end = Date.now()
  const v8Coverage = (await coverage?.stopInstrumenting())?.filter(
    ({ url }) => url.startsWith(pathToFileURL(`${config.rootDir}/src/`).href) && url.endsWith('.ts'),
  )

  const results = testResults.map(assertionResult)
  const count = (status: string) => results.filter((result) => result.status === status).length
  const messages = [
    formatResultsErrors(results, config, globalConfig, testFilePath),
    ...unhandledErrorsDetailed.map((error) => formatExecError(error, config, globalConfig, testFilePath)),
    ...leaks.map((leak) => `  ● The suite leaks into the next one: ${leak}\n`),
  ].filter(Boolean)
  const failed = unhandledErrors.length > 0 || leaks.length > 0
  return {
    ...(failed && { testExecError: { message: leaks.join('\n'), stack: unhandledErrors.join('\n') } }),
    failureMessage: messages.length ? messages.join('\n') : null,
    leaks: false,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    openHandles: [],
    perfStats: {
      start,
      end,
      runtime: end - start,
      slow: false,
      loadTestEnvironmentStart: start,
      loadTestEnvironmentEnd: start,
      setupAfterEnvStart: start,
      setupAfterEnvEnd: start,
      setupFilesStart: start,
      setupFilesEnd: start,
    },
    skipped: false,
    snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
    testFilePath,
    testResults: results,
    ...(v8Coverage && {
      v8Coverage: v8Coverage.map((result) => ({
        result: { ...result, url: new URL(result.url).pathname },
        codeTransformResult: undefined,
      })),
    }),
  }
}

function assertionResult(test: Circus.TestResult): AssertionResult {
  const [, ...path] = test.testPath
  const title = path.pop()!
  const status =
    test.status === 'skip' ? 'pending' : test.status === 'todo' ? 'todo' : test.errors.length ? 'failed' : 'passed'
  return {
    ancestorTitles: path,
    duration: test.duration ?? null,
    failureDetails: test.errorsDetailed,
    failureMessages: [...test.errors],
    fullName: [...path, title].join(' '),
    invocations: test.invocations,
    location: test.location,
    numPassingAsserts: test.numPassingAsserts,
    retryReasons: [],
    startAt: test.startedAt,
    status,
    title,
  }
}

function nameOf(test: Circus.TestEntry): string {
  const names = [test.name]
  for (let block: Circus.DescribeBlock | undefined = test.parent; block?.parent; block = block.parent)
    names.unshift(block.name)
  return names.join(' ')
}
