import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { check } from '../../scripts/deploy-tools.ts'
import { execForm, parseDockerfile } from '../../scripts/image/dockerfile.ts'

const INSTALL_LIMIT_MS = 240_000
const last = parseDockerfile('Dockerfile').at(-1)!
const instruction = (name: string) => last.instructions.find((one) => one.name === name)!.rest

describe('the Dockerfile', () => {
  test(
    'passes hadolint',
    async () => {
      expect(await check('hadolint', ['Dockerfile'])).toBe('')
    },
    INSTALL_LIMIT_MS,
  )

  test('runs as a numeric user without root, and starts programs without a shell', () => {
    expect(instruction('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(execForm(instruction('ENTRYPOINT'))).toEqual(['node', 'src/main.ts'])
    expect(execForm(instruction('CMD'))).toEqual(['serve'])
    expect(execForm(/\bCMD (.*)$/.exec(instruction('HEALTHCHECK'))![1]!)[0]).toBe('node')
  })

  test('contains nothing that is specific to one processor architecture', () => {
    expect(readFileSync('Dockerfile', 'utf8')).not.toMatch(/amd64|arm64|x86_64|aarch64|linux-x64|--platform/)
    expect(readFileSync('.github/workflows/image.yml', 'utf8')).toContain('platforms: linux/amd64,linux/arm64')
  })
})

describe('compose.yaml', () => {
  test(
    'matches the schema of Compose',
    async () => {
      expect(await check('check-jsonschema', ['--builtin-schema', 'vendor.compose-spec', 'compose.yaml'])).toContain(
        'ok',
      )
    },
    INSTALL_LIMIT_MS,
  )

  test('runs the server and the worker on a read-only root file system without capabilities, and waits until they have stopped', () => {
    const text = readFileSync('compose.yaml', 'utf8')
    for (const line of [
      'read_only: true',
      'cap_drop: [ALL]',
      'security_opt: [no-new-privileges:true]',
      'stop_grace_period: 60s',
    ])
      expect(text).toContain(`  ${line}\n`)
    expect(text).toContain('tmpfs: [/tmp]')
  })
})

describe('the workflows', () => {
  test(
    'match the schema of GitHub',
    async () => {
      const files = ['check', 'image', 'release'].map((name) => `.github/workflows/${name}.yml`)
      expect(await check('check-jsonschema', ['--builtin-schema', 'vendor.github-workflows', ...files])).toContain('ok')
    },
    INSTALL_LIMIT_MS,
  )
})
