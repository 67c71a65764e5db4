import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import { PROGRAM_VERSION } from '../../src/lib/program-version.ts'

const folder = mkdtempSync(join(tmpdir(), 'canvass-compiled-'))
afterAll(() => rmSync(folder, { recursive: true }))

const version = (file: string, compiled: string) =>
  execFileSync(process.execPath, [file, '--version'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  }).trim()

describe('the first file of the program', () => {
  it('keeps compiled modules in a folder', () => {
    expect(version('src/main.mjs', folder)).toBe(PROGRAM_VERSION)
    expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(5)
    expect(version('src/main.mjs', folder)).toBe(PROGRAM_VERSION)
  })

  it('runs where the folder cannot be written', () => {
    expect(version('src/main.mjs', '/dev/null/compiled')).toBe(PROGRAM_VERSION)
  })

  it('is also found under the name that services of earlier versions use', () => {
    expect(version('src/main.ts', folder)).toBe(PROGRAM_VERSION)
  })
})
