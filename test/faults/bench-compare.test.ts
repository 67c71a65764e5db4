import { spawnSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'

const compare = (settings: Record<string, string>, ...args: string[]) =>
  spawnSync(process.execPath, ['tools/run.ts', 'tools/bench/compare.ts', ...args], {
    env: { PATH: process.env.PATH, ...settings },
    encoding: 'utf8',
  })
const hasHistory = spawnSync('git', ['rev-parse', 'HEAD']).status === 0

describe('make bench-compare', () => {
  test.each([
    ['BASE is missing', {}, [], 'Set BASE to the commit to compare with, as in: make bench-compare BASE=498e0158'],
    [
      'BASE is no commit',
      { BASE: 'no-such-branch' },
      [],
      'BASE=no-such-branch is no commit of this repository. In a shallow clone, run: git fetch --unshallow',
    ],
    ['BASE is an option', { BASE: '--all' }, [], 'BASE=--all is no commit of this repository.'],
    ['a name is unknown', { BASE: 'HEAD' }, ['sumbit'], 'bench-compare has no lines sumbit. Use one or more of start,'],
    ['SIZE is no number', { BASE: 'HEAD', SIZE: 'many' }, [], 'SIZE must be a whole number of at least 1000.'],
    [
      'git is missing',
      { BASE: 'HEAD', PATH: '/nonexistent' },
      [],
      'bench-compare needs git. Install it, and run again.',
    ],
    ['the disk is too small', { BASE: 'HEAD', SIZE: '900000000000' }, ['list'], 'or use a smaller SIZE.'],
  ])('says in one sentence what to do if %s', (_, settings, args, sentence) => {
    const { status, stdout, stderr } = compare(settings as Record<string, string>, ...args)
    expect(stderr).toContain(sentence)
    expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 })
  })

  ;(hasHistory ? test : test.skip)(
    'measures both commits in turn and prints the ratio of each line',
    () => {
      const { status, stdout } = compare({ BASE: 'HEAD', ROUNDS: '1' }, 'submit')
      expect(stdout).toMatch(/^Base: \w{7,}\. Rounds: 1\./)
      for (const line of ['form', 'JSON'])
        expect(stdout).toMatch(
          new RegExp(`^  ${line} +[\\d,]+ /s +[\\d,]+ /s +\\d+\\.\\d\\d +\\d+\\.\\d\\d +\\d+\\.\\d\\d`, 'm'),
        )
      expect(status).toBe(0)
    },
    300_000,
  )
})
