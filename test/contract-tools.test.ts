import { spawnSync } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'

/** Runs `make contract` on a machine without Go, Java and Maven. */
const runWithoutRuntimes = (...args: string[]) =>
  spawnSync(process.execPath, ['tools/contract/contract.ts', ...args], {
    env: { PATH: '/nonexistent' },
    encoding: 'utf8',
  })

describe('make contract on a machine without the runtime of a tool', () => {
  it('fails and names the missing programs', () => {
    const { status, stdout, stderr } = runWithoutRuntimes('oapi-codegen', 'openapi-generator-java')
    expect(stdout).toMatch(/oapi-codegen .*skipped/)
    expect(stderr).toMatch(/oapi-codegen on v3 \(3\.0\) skipped: needs Go/)
    expect(stderr).toMatch(/openapi-generator-java on v2 \(3\.0\) skipped: needs Java .*Maven/)
    expect(status).toBe(1)
  })

  it('succeeds with --allow-missing', () => {
    expect(runWithoutRuntimes('oapi-codegen', '--allow-missing').status).toBe(0)
  })

  it('rejects the name of an unknown tool', () => {
    const { status, stderr } = runWithoutRuntimes('swagger-codegen')
    expect(stderr).toMatch(/^Unknown tool: swagger-codegen\. Tools: spectral, /)
    expect(status).toBe(2)
  })
})
