import { spawnSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'
import { isLoss } from '../../tools/bench/figures.ts'

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
    ['a release has few rounds', { BASE: 'HEAD', GATE: '1' }, [], 'A release needs at least 6 rounds. Set ROUNDS=6.'],
    ['the disk is too small', { BASE: 'HEAD', SIZE: '900000000000' }, ['list'], 'or use a smaller SIZE.'],
  ])('says in one sentence what to do if %s', (_, settings, args, sentence) => {
    const { status, stdout, stderr } = compare(settings as Record<string, string>, ...args)
    expect(stderr).toContain(sentence)
    expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 })
  })

  ;(hasHistory ? test : test.skip)(
    'measures both commits in turn and prints the ratio of each line',
    () => {
      const small = { BASE: 'HEAD', ROUNDS: '1', SIZE: '1000' }
      const { status, stdout } = compare(small, 'submit', 'csv')
      expect(stdout).toMatch(/^Base: \w{7,}\. Rounds: 1\./)
      for (const line of ['form', 'JSON', 'plain', 'inverted'])
        expect(stdout).toMatch(
          new RegExp(`^  ${line} +[\\d,]+ /s +[\\d,]+ /s +\\d+\\.\\d\\d +\\d+\\.\\d\\d +\\d+\\.\\d\\d`, 'm'),
        )
      expect(status).toBe(0)
    },
    300_000,
  )
})

describe('make release', () => {
  test.each([
    ['a fifth is lost in the median and something in each round', [0.8, 0.8, 0.79, 0.81, 0.75, 0.94], '/s', true],
    ['one round shows no loss', [0.8, 0.8, 0.79, 0.81, 0.75, 0.96], '/s', false],
    ['each round lost less than 15 %', [0.87, 0.86, 0.86, 0.88, 0.9, 0.86], '/s', false],
    ['rates are higher', [1.3, 1.3, 1.3, 1.3, 1.3, 1.3], '/s', false],
    ['times are longer', [1.3, 1.3, 1.25, 1.2, 1.07, 1.4], 'ms', true],
    ['times are shorter', [0.7, 0.7, 0.7, 0.7, 0.7, 0.7], 'ms', false],
    ['memory grew', [1.2, 1.2, 1.2, 1.2, 1.2, 1.2], 'MB', true],
  ] as const)('judges whether %s', (_, ratios, unit, loss) => {
    expect(isLoss(ratios, unit)).toBe(loss)
  })
})
